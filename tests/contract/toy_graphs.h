// SPDX-License-Identifier: Apache-2.0
// Toy graphs: a few vertices, stored as adjacency vectors.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/program.h"

namespace outcore::toys {

using Lists = std::vector<std::vector<VertexId>>;

struct ToyGraph {
  std::string name;
  Lists out;
  Lists in;
  bool symmetric = false;

  [[nodiscard]] VertexId id_space() const { return static_cast<VertexId>(out.size()); }
  [[nodiscard]] Graph view() const {
    Graph graph{.id_space = id_space(), .vertices = id_space(), .symmetric = symmetric};
    for (const auto& list : out) graph.edges += list.size();
    return graph;
  }
  [[nodiscard]] const Lists& lists(Direction direction) const {
    return direction == Direction::out ? out : in;
  }
};

using Edges = std::vector<std::pair<VertexId, VertexId>>;

inline ToyGraph graph_of(std::string name, VertexId vertices, const Edges& edges, bool symmetric) {
  ToyGraph g{std::move(name), Lists(vertices), Lists(vertices), symmetric};
  const auto add = [&](VertexId u, VertexId v) {
    g.out[u].push_back(v);
    g.in[v].push_back(u);
  };
  for (const auto& [u, v] : edges) {
    add(u, v);
    if (symmetric) add(v, u);
  }
  for (Lists* lists : {&g.out, &g.in}) {
    for (auto& list : *lists) std::sort(list.begin(), list.end());
  }
  return g;
}

inline ToyGraph path(VertexId n) {
  Edges edges;
  for (VertexId v = 0; v + 1 < n; ++v) edges.emplace_back(v, v + 1);
  return graph_of("path", n, edges, true);
}

}  // namespace outcore::toys
