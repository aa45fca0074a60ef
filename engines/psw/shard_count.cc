// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/shard_count.h"

#include <cmath>

#include "storage/layout/edges/edge_layout.h"

namespace outcore {

namespace {

constexpr std::uint32_t kMostShards = 1024;
// The largest shard has more edges than the average one.
constexpr double kUneven = 1.25;

}  // namespace

std::uint64_t frames_for_shards(const ShardedGraph& graph, std::uint32_t p) {
  const double columns = graph.weighted ? 3 : 2;
  const double edge_bytes = columns * sizeof(VertexId) + graph.value_bytes + 2 * sizeof(SourceRun);
  // A window begins and ends with a block of targets, and with as many values.
  const double window_ends =
      2 * static_cast<double>(sizeof(VertexId) + graph.value_bytes) / sizeof(VertexId);
  // Each cell begins with a block of its own in each column, and so do its values.
  const double borders = p * (columns + 2 + window_ends) * (graph.block_bytes + graph.value_bytes);
  const double shard = kUneven * static_cast<double>(graph.edges) / p * edge_bytes;
  return static_cast<std::uint64_t>(
      std::ceil(shard + borders + static_cast<double>(graph.vertex_bytes) * kUneven));
}

std::uint32_t fitting_shards(const ShardedGraph& graph, std::uint64_t frames_bytes,
                             std::uint32_t least) {
  for (std::uint32_t p = least; p <= kMostShards; ++p) {
    if (frames_for_shards(graph, p) <= frames_bytes) return p;
  }
  return 0;
}

std::uint32_t smallest_shards(const ShardedGraph& graph) {
  std::uint32_t best = 1;
  for (std::uint32_t p = 2; p <= kMostShards; ++p) {
    if (frames_for_shards(graph, p) < frames_for_shards(graph, best)) best = p;
  }
  return best;
}

}  // namespace outcore
