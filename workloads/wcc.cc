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
#include "engines/vertex_program.h"
#include "workloads/components.h"
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

Finish run(Engine& engine, const Parameters&) {
  const Graph& graph = engine.graph();
  Wcc wcc(graph);
  engine.converge(wcc, Frontier::all(graph));

  return [graph, label = std::move(wcc.label)]() mutable {
    return components_answer(graph, std::move(label));
  };
}

}  // namespace

Workload wcc_workload() {
  return {.name = "wcc",
          .help = "connected components by label propagation",
          .parameters = {},
          .arrays = {{"label", sizeof(VertexId)}},
          .needs_symmetric = true,
          .run = run,
          .verify = verify_components};
}

}  // namespace outcore
