// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/rank_by_position.h"

#include <algorithm>

#include "common/error.h"

namespace outcore {

namespace {

// Calls f(id) for each id whose number of edges is `wanted`.
template <typename Wanted, typename F>
void for_each_of_degree(const NumberedGraph& graph, Wanted&& wanted, F&& f) {
  for (VertexId id = 0; id < graph.vertices(); ++id) {
    if (wanted(graph.degree(id))) f(id);
  }
}

// Ids whose lists are in blocks, by position.
std::vector<VertexId> stored_by_position(const NumberedGraph& graph,
                                         std::span<const std::uint64_t> positions,
                                         unsigned inline_edges) {
  const auto is_stored = [&](std::uint64_t degree) { return degree > inline_edges; };
  std::size_t count = 0;
  for_each_of_degree(graph, is_stored, [&](VertexId) { ++count; });
  std::vector<VertexId> stored;
  stored.reserve(count);
  for_each_of_degree(graph, is_stored, [&](VertexId id) { stored.push_back(id); });
  const auto before = [&](VertexId a, VertexId b) { return positions[a] < positions[b]; };
  if (!std::is_sorted(stored.begin(), stored.end(), before)) {
    std::sort(stored.begin(), stored.end(), before);
  }
  return stored;
}

// Calls real(id) for each list, and gap(position) if it does not begin where the previous one ends.
template <typename Real, typename Gap>
void for_each_with_gaps(const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                        std::span<const VertexId> stored, Real&& real, Gap&& gap) {
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const VertexId id = stored[i];
    if (i > 0) {
      const std::uint64_t end = positions[stored[i - 1]] + graph.degree(stored[i - 1]);
      if (end < positions[id]) gap(end);
    }
    real(id);
  }
}

}  // namespace

Ranks rank_by_position(const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                       unsigned inline_edges) {
  const std::vector<VertexId> stored = stored_by_position(graph, positions, inline_edges);
  std::uint64_t gaps = 0;
  for_each_with_gaps(
      graph, positions, stored, [](VertexId) {}, [&](std::uint64_t) { ++gaps; });
  if (graph.vertices() + gaps >= kNoVertex) {
    throw usage_error("--inline mini-data: more vertices, virtual ones included, than ids");
  }
  Ranks ranks;
  ranks.original.reserve(graph.vertices() + gaps);
  ranks.positions.reserve(stored.size() + gaps);
  const auto add = [&](VertexId canonical, std::uint64_t position) {
    ranks.original.push_back(canonical);
    ranks.positions.push_back(position);
  };
  for_each_with_gaps(
      graph, positions, stored, [&](VertexId id) { add(graph.canonical(id), positions[id]); },
      [&](std::uint64_t position) { add(kNoVertex, position); });
  ranks.theta.resize(inline_edges + 1);
  for (unsigned mini = inline_edges + 1; mini-- > 0;) {
    ranks.theta[mini] = static_cast<VertexId>(ranks.original.size());
    for_each_of_degree(
        graph, [&](std::uint64_t degree) { return degree == mini; },
        [&](VertexId id) { ranks.original.push_back(graph.canonical(id)); });
  }
  return ranks;
}

}  // namespace outcore
