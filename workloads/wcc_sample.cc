// SPDX-License-Identifier: Apache-2.0
/*
Kernel: connected components by sampling (wcc-sample, Afforest)
Returns: for each vertex the smallest canonical id of its component

Every vertex is linked with its first `heads` neighbours, which engines keep in memory. On most
graphs that joins nearly all vertices into one component, which is found by sampling vertices. The
lists of its vertices need not be read, because an edge that leaves the component is seen from its
other end. One round over the remaining vertices links the rest.

Vertices form trees in which a parent always has a smaller id. Links only ever join trees, so any
order gives the same components. At the end each vertex gets the smallest canonical id of its tree
as label.

[1] M. Sutton, T. Ben-Nun, A. Barak. Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling. IPDPS 2018; two heads, as its authors and the GAP suite, which samples 1024 vertices.
*/
#include <unordered_map>

#include "engines/vertex_program.h"
#include "workloads/components.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

struct Afforest : VertexProgram<Afforest, VertexId> {
  State<VertexId> parent;  // a root is its own

  explicit Afforest(Engine& engine) : parent(engine.state<VertexId>("parent")) {
    engine.for_each_range([&](VertexRange range) {
      for (VertexId v = range.begin; v < range.end; ++v) parent[v] = v;
    });
  }

  // Hangs the larger of the two roots below the smaller one. Threads may do so at the same time: if
  // another thread has hung the larger root meanwhile, the search for the roots continues from
  // there. Relaxed: a parent is a smaller id of the same component whenever it is read.
  void link(VertexId u, VertexId v) {
    VertexId a = root(u);
    VertexId b = root(v);
    while (a != b) {
      VertexId above = std::max(a, b);
      const VertexId low = std::min(a, b);
      if (std::atomic_ref(parent[above])
              .compare_exchange_strong(above, low, std::memory_order_relaxed)) {
        return;
      }
      a = root(above);
      b = root(low);
    }
  }
  // On the way, every vertex is moved up to its grandparent, which shortens later searches.
  // Threads may do so at the same time: whatever they write is a smaller id of the same component,
  // and roots stay roots.
  VertexId root(VertexId v) {
    VertexId above = peek(parent[v]);
    while (above != v) {
      const VertexId higher = peek(parent[above]);
      poke(parent[v], higher);
      v = above;
      above = higher;
    }
    return v;
  }

  Message emit(Source u) { return u.v; }
  const void* state(VertexId v) const { return &parent[v]; }
  // Always shared: accept may change roots of other vertices, whatever access to v the engine
  // grants.
  template <Access A>
  Priority accept(VertexId v, Message u) {
    link(u, v);
    return kQuiet;
  }
};

// The root that most of `samples` hashed vertices have.
VertexId largest_component(Afforest& trees, const Graph& graph, std::uint64_t samples) {
  std::unordered_map<VertexId, std::uint64_t> count;
  VertexId largest = kNoVertex;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto v = static_cast<VertexId>(mix(i) % graph.id_space);
    if (!graph.is_real(v)) continue;
    const VertexId root = trees.root(v);
    ++count[root];
    if (largest == kNoVertex || count[root] > count[largest]) largest = root;
  }
  return largest;
}

// The smallest canonical id of each vertex's component, in the trees' own array.
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

Finish run_wcc_sample(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  Afforest trees(engine);
  engine.heads(static_cast<unsigned>(parameters.whole("heads")),
               [&](VertexId v, std::span<const VertexId> heads) {
                 for (const VertexId u : heads) trees.link(u, v);
               });
  std::uint64_t read = 0;
  if (graph.vertices > 0) {
    const VertexId largest = largest_component(trees, graph, parameters.whole("samples"));
    Bitmap outside(graph.id_space);
    engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
      outside.set_where(range.begin, range.end, [&](std::size_t i) {
        const auto v = static_cast<VertexId>(i);
        return degrees[v - range.begin] > 0 && trees.root(v) != largest;
      });
    });
    Frontier frontier = Frontier::from_bits(std::move(outside));
    read = frontier.size();
    if (read > 0) engine.round(trees, std::move(frontier), Direction::out, Mode::push);
  }

  State<VertexId> label = labels(engine, std::move(trees));
  return [graph, read, label = std::move(label)]() mutable {
    Answer answer = components_answer(graph, label);
    answer.summary["lists_read"] = read;
    return answer;
  };
}

}  // namespace

Workload wcc_sample_workload() {
  using Kind = Parameter::Kind;
  return {.name = "wcc-sample",
          .help = "connected components by sampling neighbours",
          .parameters = {{"heads", "2", "neighbours of each vertex that are linked first",
                          Kind::whole, 1, 4},
                         {"samples", "1024",
                          "sampled vertices that decide which component is the largest",
                          Kind::whole, 1, 1 << 30}},
          .needs_symmetric = true,
          .needs_heads = true,
          .values = ValueKind::vertex,
          .sentence =
              "{#components component} of {#vertices} vertices, the largest of {#largest}; "
              "{#lists_read list} read",
          .run = run_wcc_sample,
          .verify = verify_components};
}

}  // namespace outcore
