// SPDX-License-Identifier: Apache-2.0
// What a stretch of updates does to the copies of one edge. Removals are not looked up when they
// come. Whatever the additions and removals of a pair are, they take c copies to
//
//     max(c - removes, 0) + adds
//
// and two stretches, one after the other, are again one. So a segment of a list keeps these two
// numbers a pair, `removes` for copies in older segments only, and a removal costs what an addition
// costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"

namespace outcore::evolving {

struct PairChange {
  VertexId neighbour = 0;
  std::uint32_t removes = 0;
  std::uint32_t adds = 0;
  friend bool operator==(const PairChange&, const PairChange&) = default;
};

// An update of one vertex's list.
struct ListUpdate {
  VertexId neighbour = 0;
  bool removes = false;
};

// `older`, then `newer`.
inline PairChange then(const PairChange& older, const PairChange& newer) {
  const std::uint32_t cancelled = std::min(older.adds, newer.removes);
  return {.neighbour = older.neighbour,
          .removes = older.removes + newer.removes - cancelled,
          .adds = older.adds - cancelled + newer.adds};
}

// The changes that a list's updates make, by ascending neighbours. `updates` are in the order in
// which they came; they are sorted.
void changes_of(std::vector<ListUpdate>& updates, std::vector<PairChange>& changes);

// Changes of lists by ascending vertices, each list's by ascending neighbours.
class ChangeSource {
 public:
  virtual ~ChangeSource() = default;
  // Stores the next list's changes; false at the end. No list is empty.
  virtual bool next(VertexId& vertex, std::vector<PairChange>& changes) = 0;
};

}  // namespace outcore::evolving
