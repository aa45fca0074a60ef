// SPDX-License-Identifier: Apache-2.0
/*
Kernel: connected components by sampling (wcc-sample, Afforest)
Returns: for each vertex the smallest canonical id of its component

Every vertex is linked with its first neighbour, which engines keep in memory, then with its second,
up to `heads`, until sampled vertices say that nearly all are in one component. The lists of its
vertices need not be read, because an edge that leaves the component is seen from its other end.
Rounds over the remaining vertices link the rest: one where the component has most vertices, else
a part of them at a time, after which it may have. So each list is read at most once.

At the end each vertex gets the smallest canonical id of its tree as label (afforest.h).

[1] M. Sutton, T. Ben-Nun, A. Barak. Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling. IPDPS 2018; two heads, as its authors and the GAP suite, which samples 1024 vertices.
*/
#include "workloads/afforest.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

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
