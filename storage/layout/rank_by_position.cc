// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/rank_by_position.h"

#include <algorithm>

#include "common/error.h"

namespace outcore {

namespace {

// Ids whose lists lie in blocks, by position.
std::vector<VertexId> stored_by_position(const NumberedGraph& graph,
                                         std::span<const std::uint64_t> positions,
                                         unsigned inline_edges) {
  std::vector<VertexId> stored;
  for (VertexId id = 0; id < graph.vertices(); ++id) {
    if (graph.degree(id) > inline_edges) stored.push_back(id);
  }
  const auto before = [&](VertexId a, VertexId b) { return positions[a] < positions[b]; };
  if (!std::is_sorted(stored.begin(), stored.end(), before)) {
    std::sort(stored.begin(), stored.end(), before);
  }
  return stored;
}

}  // namespace

Ranks rank_by_position(const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                       unsigned inline_edges) {
  Ranks ranks;
  std::uint64_t end = 0;  // of the list before
  const auto add = [&](VertexId canonical, std::uint64_t position) {
    ranks.original.push_back(canonical);
    ranks.positions.push_back(position);
    if (ranks.original.size() >= kNoVertex) {
      throw usage_error("--inline mini-data: more vertices, virtual ones included, than ids");
    }
  };
  for (const VertexId id : stored_by_position(graph, positions, inline_edges)) {
    if (end < positions[id] && !ranks.original.empty()) add(kNoVertex, end);
    add(graph.canonical(id), positions[id]);
    end = positions[id] + graph.degree(id);
  }
  std::vector<std::vector<VertexId>> mini(inline_edges + 1);  // by degree
  for (VertexId id = 0; id < graph.vertices(); ++id) {
    const std::uint64_t degree = graph.degree(id);
    if (degree <= inline_edges) mini[degree].push_back(id);
  }
  ranks.theta.resize(inline_edges + 1);
  for (unsigned degree = inline_edges + 1; degree-- > 0;) {
    ranks.theta[degree] = static_cast<VertexId>(ranks.original.size());
    for (const VertexId id : mini[degree]) add(graph.canonical(id), 0);
  }
  return ranks;
}

}  // namespace outcore
