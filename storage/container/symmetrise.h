// SPDX-License-Identifier: Apache-2.0
// A directed graph without its directions: each edge in both, with the vertices, the ids and the
// weights that it had. Of an edge and its reverse the one of least weight stays.
//
// The source's lists are mapped; memory is the builder's (builder.h).
#pragma once

#include <cstdint>
#include <filesystem>

#include "storage/container/builder.h"

namespace outcore {

struct SymmetriseOptions {
  bool keep_loops = false;
  bool keep_parallel = false;  // an edge and its reverse are then two edges between the same ends
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 0;  // 0: every core
  bool force = false;    // replace a graph
};

// Makes the graph `to`. Throws a usage Error where `from` is symmetric already or both are the same
// folder, bad_input where its lists are broken.
BuildCounts symmetrise(const std::filesystem::path& from, const std::filesystem::path& to,
                       const SymmetriseOptions& options);

}  // namespace outcore
