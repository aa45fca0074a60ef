// SPDX-License-Identifier: Apache-2.0
// Toy graphs: a few vertices, stored as adjacency vectors, in every shape that has ever hidden a
// bug.
#pragma once

#include <algorithm>
#include <random>
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
  OriginalIds originals;  // empty: ids are the original ones

  [[nodiscard]] VertexId id_space() const { return static_cast<VertexId>(out.size()); }
  [[nodiscard]] Graph view() const {
    Graph graph{.id_space = id_space(),
                .symmetric = symmetric,
                .originals = originals.empty() ? nullptr : &originals};
    for (VertexId v = 0; v < id_space(); ++v) {
      graph.vertices += graph.is_real(v) ? 1 : 0;
      graph.edges += out[v].size();
    }
    return graph;
  }
  // The layout id of a canonical id.
  [[nodiscard]] VertexId id_of(VertexId original) const {
    for (VertexId v = 0; v < id_space(); ++v) {
      if (view().original(v) == original) return v;
    }
    return kNoVertex;
  }
  [[nodiscard]] const Lists& lists(Direction direction) const {
    return direction == Direction::out ? out : in;
  }
};

using Edges = std::vector<std::pair<VertexId, VertexId>>;

inline ToyGraph graph_of(std::string name, VertexId vertices, const Edges& edges, bool symmetric) {
  ToyGraph g{std::move(name), Lists(vertices), Lists(vertices), symmetric, {}};
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
// Vertex 0 is a hub whose list is longer than any piece.
inline ToyGraph star(VertexId n) {
  Edges edges;
  for (VertexId v = 1; v < n; ++v) edges.emplace_back(0, v);
  return graph_of("star", n, edges, true);
}
inline ToyGraph clique(VertexId n) {
  Edges edges;
  for (VertexId u = 0; u < n; ++u) {
    for (VertexId v = u + 1; v < n; ++v) edges.emplace_back(u, v);
  }
  return graph_of("clique", n, edges, true);
}
// A clique of the odd ids with a tail, and a path of the even ids.
inline ToyGraph two_components() {
  Edges edges;
  for (VertexId u = 1; u < 12; u += 2) {
    for (VertexId v = u + 2; v < 12; v += 2) edges.emplace_back(u, v);
  }
  edges.emplace_back(11, 13);
  edges.emplace_back(13, 15);
  for (VertexId v = 0; v + 2 < 16; v += 2) edges.emplace_back(v, v + 2);
  return graph_of("two_components", 16, edges, true);
}
// Directed: a cycle against the order of the ids, chords, one double edge and one self loop.
inline ToyGraph cycle_with_chords(VertexId n) {
  Edges edges = {{3, 9}, {3, 9}, {5, 5}};
  for (VertexId v = 0; v < n; ++v) {
    edges.emplace_back(v, (v + n - 1) % n);
    if (v % 3 == 0) edges.emplace_back(v, (v + 7) % n);
  }
  return graph_of("cycle_with_chords", n, edges, false);
}

// The same graph under other ids, with virtual ids between them.
inline ToyGraph renumbered(const ToyGraph& g, std::uint32_t seed) {
  std::vector<VertexId> originals;
  for (VertexId v = 0; v < g.id_space(); ++v) {
    originals.push_back(v);
    if (v % 4 == 1) originals.push_back(kNoVertex);
  }
  std::shuffle(originals.begin(), originals.end(), std::minstd_rand(seed));
  std::vector<VertexId> ids(g.id_space());
  for (VertexId v = 0; v < originals.size(); ++v) {
    if (originals[v] != kNoVertex) ids[originals[v]] = v;
  }
  Edges edges;
  for (VertexId u = 0; u < g.id_space(); ++u) {
    for (const VertexId v : g.out[u]) edges.emplace_back(ids[u], ids[v]);
  }
  const auto id_space = static_cast<VertexId>(originals.size());
  ToyGraph result = graph_of(g.name + "_renumbered", id_space, edges, false);
  result.symmetric = g.symmetric;
  result.originals = OriginalIds{originals};
  return result;
}

inline std::vector<ToyGraph> every_shape() {
  std::vector<ToyGraph> shapes = {path(17), star(40), clique(9), two_components(),
                                  cycle_with_chords(14)};
  for (std::uint32_t i = 0; i < 5; ++i) shapes.push_back(renumbered(shapes[i], i + 1));
  shapes.push_back(graph_of("one_vertex", 1, {}, true));
  return shapes;
}

// Calls f with the pieces (of at most `at_most` edges) of v's list; with at least one piece even if
// the list is empty.
template <typename F>
void for_each_piece(const Lists& lists, VertexId v, std::uint32_t slot, std::uint32_t at_most,
                    F&& f) {
  const auto degree = static_cast<std::uint32_t>(lists[v].size());
  std::uint32_t first = 0;
  do {
    const std::uint32_t count = std::min(at_most, degree - first);
    f(Piece{v, slot, first, count, degree, lists[v].data() + first, nullptr});
    first += count;
  } while (first < degree);
}

}  // namespace outcore::toys
