// SPDX-License-Identifier: Apache-2.0
/*
Kernel: weakly connected components by label propagation (wcc)
Returns: for each vertex the least canonical id of its component

Every vertex starts with its own canonical id as label, and active. An active vertex says its label;
a neighbour that hears a smaller one takes it and becomes active.

Any order converges: labels only fall, stay within the component, and whoever's label fell speaks
again; at the end no edge joins two different labels. Taking the smallest labels first saves work
(priority = label).

[1] ACGraph, SIGMOD 2025, section 2.1 and the work-inflation study of section 3.1.
*/
#include <numeric>

#include "engines/vertex_program.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

struct Wcc : VertexProgram<Wcc, VertexId> {
  std::vector<VertexId> label;

  explicit Wcc(const Graph& graph) : label(graph.id_space) {
    for (VertexId v = 0; v < graph.id_space; ++v) label[v] = graph.original(v);
  }

  Traits traits() const override {
    return {.message_bytes = sizeof(Message),
            .emits_what_it_hears = true,
            .combines = true,
            .newest_is_enough = true};
  }
  Priority priority(VertexId v) override { return priority_of(peek(label[v])); }
  Message emit(Source u) { return peek(label[u.v]); }
  Message combine(Message a, Message b) { return std::min(a, b); }
  const void* state(VertexId v) const { return &label[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(label[v], m) ? priority_of(m) : kQuiet;
  }
};

Answer run(Engine& engine, const Parameters&) {
  const Graph& graph = engine.graph();
  Wcc wcc(graph);
  engine.converge(wcc, Frontier::all(graph));

  Answer answer{.values = in_canonical_order(graph, std::move(wcc.label)), .summary = {}};
  const auto& label = std::get<0>(answer.values);
  std::vector<std::uint32_t> sizes(label.size(), 0);
  std::uint64_t components = 0;
  for (std::size_t v = 0; v < label.size(); ++v) {
    if (label[v] == v) ++components;
    ++sizes[label[v]];
  }
  const auto largest = std::max_element(sizes.begin(), sizes.end());
  answer.summary = {{"components", components}, {"largest", largest == sizes.end() ? 0 : *largest}};
  return answer;
}

// Union-find over all edges:
//  - two vertices have the same label if and only if a path joins them
//  - the label is the least id of the component
Verdict verify(const Canonical& canonical, const Answer& answer, const Parameters&) {
  std::vector<std::uint32_t> parent(canonical.out.vertices());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto find = [&](VertexId v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (VertexId u = 0; u < canonical.out.vertices(); ++u) {
    for (const VertexId v : canonical.out.list(u)) {
      const VertexId a = find(u);
      const VertexId b = find(v);
      parent[std::max(a, b)] = std::min(a, b);  // so the root is always the least
    }
  }
  for (VertexId v = 0; v < canonical.out.vertices(); ++v) parent[v] = find(v);
  return compare("union-find over all edges", std::get<0>(answer.values), parent);
}

}  // namespace

Workload wcc_workload() {
  return {.name = "wcc",
          .help = "connected components by label propagation",
          .parameters = {},
          .needs_symmetric = true,
          .run = run,
          .verify = verify};
}

}  // namespace outcore
