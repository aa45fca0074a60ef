// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace outcore::evolving {

// One arrival of a stream: an edge that is added, or one copy of it that is removed. A graph that
// changes is a multiset of edges, so that adding an edge twice and removing it once leaves one.
struct Update {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  bool removes = false;

  friend bool operator==(const Update&, const Update&) = default;
};

}  // namespace outcore::evolving
