// SPDX-License-Identifier: Apache-2.0
/*
Kernel: connected components by sampling (wcc-sample, Afforest)
Returns: for each vertex the smallest canonical id of its component

Every vertex is linked with its first neighbour, which engines keep in memory, then with its second,
up to `heads`, until sampled vertices say that nearly all are in one component. The lists of its
vertices need not be read, because an edge that leaves the component is seen from its other end.
Rounds over the remaining vertices link the rest: one where the component has most vertices, else
a part of them at a time, after which it may have. So each list is read at most once.

Vertices form trees in which a parent always has a smaller id. Links only ever join trees, so any
order gives the same components. At the end each vertex gets the smallest canonical id of its tree
as label.

[1] M. Sutton, T. Ben-Nun, A. Barak. Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling. IPDPS 2018; two heads, as its authors and the GAP suite, which samples 1024 vertices.
*/
#include <algorithm>
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
      // Most trees are flat: writing what stands there would take the cache line from other
      // threads.
      if (higher != above) poke(parent[v], higher);
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

// What the sampled vertices say.
struct Sample {
  VertexId largest = kNoVertex;  // the root that most of them have
  double share = 0;              // of those that have neighbours, so far as is known
};

// Looks at `samples` hashed vertices. One that is a root has no neighbours yet, but for one in each
// component, so it says nothing.
Sample look(Afforest& trees, const Graph& graph, std::uint64_t samples) {
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

// Links vertices with their first neighbours, one more each time, until the sample says that most
// are in one component. Returns how many of each.
unsigned link_heads(Engine& engine, Afforest& trees, const Parameters& parameters) {
  constexpr double kMost =
      0.999;  // lists of one vertex in a hundred are in a quarter of all blocks
  const auto most = static_cast<unsigned>(parameters.whole("heads"));
  for (unsigned k = 1;; ++k) {
    engine.heads(k, [&](VertexId v, std::span<const VertexId> heads) {
      if (heads.size() == k) trees.link(heads.back(), v);
    });
    if (k == most) return k;
    if (engine.graph().vertices == 0) return k;
    if (look(trees, engine.graph(), parameters.whole("samples")).share >= kMost) return k;
  }
}

// Reads the lists of vertices outside the largest component; returns how many. While that has less
// than half of the sample, only those of every 16th group of vertices are read, then of every 8th,
// and so on, and the sample is taken again: a component that spans the graph forms early, and then
// most lists need not be read.
//
// In the end the vertices whose lists were not read are all in one component, so no edge between
// them joins two.
std::uint64_t link_lists(Engine& engine, Afforest& trees, std::uint64_t samples) {
  constexpr VertexId kGroup = 4096;  // so many blocks that few are in two groups
  constexpr VertexId kParts = 16;
  const Graph& graph = engine.graph();
  if (graph.vertices == 0) return 0;
  Bitmap read(graph.id_space);
  for (VertexId parts = graph.id_space < kParts * kGroup ? kParts : 1;; parts *= 2) {
    const Sample sample = look(trees, graph, samples);
    if (sample.share > 0.5) parts = kParts;
    Bitmap outside(graph.id_space);
    engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
      outside.set_where(range.begin, range.end, [&](std::size_t i) {
        const auto v = static_cast<VertexId>(i);
        return v / kGroup % kParts < parts && degrees[v - range.begin] > 0 && !read.get(v) &&
               trees.root(v) != sample.largest;
      });
    });
    for (std::size_t w = 0; w < read.words().size(); ++w) read.words()[w] |= outside.words()[w];
    Frontier frontier = Frontier::from_bits(std::move(outside));
    if (!frontier.empty()) engine.round(trees, std::move(frontier), Direction::out, Mode::push);
    if (parts == kParts) return read.count();
  }
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
  const unsigned heads = link_heads(engine, trees, parameters);
  const std::uint64_t read = link_lists(engine, trees, parameters.whole("samples"));

  State<VertexId> label = labels(engine, std::move(trees));
  return [graph, heads, read, label = std::move(label)]() mutable {
    Answer answer = components_answer(graph, label);
    answer.summary["heads"] = heads;
    answer.summary["lists_read"] = read;
    return answer;
  };
}

}  // namespace

Workload wcc_sample_workload() {
  using Kind = Parameter::Kind;
  return {.name = "wcc-sample",
          .help = "connected components by sampling neighbours",
          .parameters = {{"heads", "2",
                          "neighbours of each vertex that are linked first, at most: as many as "
                          "the sample asks for",
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
