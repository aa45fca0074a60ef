// SPDX-License-Identifier: Apache-2.0
#include "workloads/afforest.h"

#include <algorithm>
#include <unordered_map>

namespace outcore {

Sample look(Afforest& trees, const Graph& graph, std::uint64_t samples) {
  if (graph.vertices == 0) return {.share = 1};  // nothing is outside
  std::unordered_map<VertexId, std::uint64_t> count;
  VertexId largest = kNoVertex;
  std::uint64_t linked = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto v = static_cast<VertexId>(mix(i) % graph.id_space);
    if (!graph.is_real(v)) continue;
    const VertexId root = trees.root(v);
    linked += root != v ? 1 : 0;
    ++count[root];
    if (largest == kNoVertex || count[root] > count[largest]) largest = root;
  }
  if (linked == 0) return {.largest = largest, .share = 0};
  const double share = static_cast<double>(count[largest]) / static_cast<double>(linked);
  return {.largest = largest, .share = std::min(1.0, share)};
}

State<VertexId> labels(Engine& engine, Afforest&& trees) {
  const Graph& graph = engine.graph();
  State<VertexId>& label = trees.parent;
  const auto for_each = [&](auto f) {
    engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t>) {
      for (VertexId v = range.begin; v < range.end; ++v) f(v);
    });
  };
  // Follows parents without shortening paths: a concurrent shortening could hang a vertex back
  // below one that it has just left.
  for_each([&](VertexId v) {
    VertexId root = v;
    while (peek(label[root]) != root) root = peek(label[root]);
    poke(label[v], root);
  });
  // A root is the smallest id of its tree, so if layout ids are canonical, roots are the labels.
  if (graph.originals != nullptr) {
    auto least = engine.state("least", kNoVertex);  // by root
    for_each([&](VertexId v) {
      if (graph.is_real(v)) lower<Access::shared>(least[label[v]], graph.original(v));
    });
    for_each([&](VertexId v) { label[v] = least[label[v]]; });
  }
  return std::move(trees.parent);
}

}  // namespace outcore
