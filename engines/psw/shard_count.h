// SPDX-License-Identifier: Apache-2.0
// How many shards a graph is cut into, estimated before the layout is built: the more shards, the
// smaller each is, but each of its cells ends in a block that is not full.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

struct ShardedGraph {
  EdgeIndex edges = 0;
  bool weighted = false;
  std::uint32_t value_bytes = 4;  // of the value on an edge
  std::uint32_t block_bytes = 4096;
  std::uint64_t vertex_bytes = 0;  // what the edges of one vertex take, at most; 0 if not known
};

// What frames an engine needs if the graph is cut into `p` shards of about equally many edges.
std::uint64_t frames_for_shards(const ShardedGraph& graph, std::uint32_t p);

// The fewest shards, from `least` on, of which one fits into frames of that many bytes; 0 if there
// is no such number.
std::uint32_t fitting_shards(const ShardedGraph& graph, std::uint64_t frames_bytes,
                             std::uint32_t least);

// The number of shards that needs the smallest frames.
std::uint32_t smallest_shards(const ShardedGraph& graph);

}  // namespace outcore
