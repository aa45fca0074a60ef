// SPDX-License-Identifier: Apache-2.0
// Makes an undirected graph from a directed one: each edge in both directions, with the same
// vertices, ids and weights. Of an edge and its reverse, the one of least weight stays.
//
// The source's lists are mapped; the memory used is the builder's (builder.h).
#pragma once

#include <cstdint>
#include <filesystem>

#include "storage/container/builder.h"

namespace outcore {

struct SymmetriseOptions {
  bool keep_loops = false;
  bool keep_parallel = false;  // then an edge and its reverse are two parallel edges
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 0;  // 0: every core
  bool force = false;    // replace a graph
};

// Makes the graph `to`. Throws a usage Error if `from` is already symmetric or both are the same
// folder, and bad_input if its lists are broken.
BuildCounts symmetrise(const std::filesystem::path& from, const std::filesystem::path& to,
                       const SymmetriseOptions& options);

}  // namespace outcore
