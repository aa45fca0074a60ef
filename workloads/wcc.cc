// SPDX-License-Identifier: Apache-2.0
/*
Kernel: weakly connected components (wcc)
Returns: for each vertex the smallest canonical id of its component

form=labels  label propagation, or hash-min. Every vertex starts active, with its own canonical id
             as label. An active vertex sends its label; a neighbour that hears a smaller one takes
             it and becomes active.
form=search  one search after the other (CAVE, Algorithm 3): each vertex that no search has met yet
             begins one, which marks all that it reaches. Vertices without edges are recognised by
             their degree and need none. Every list is read once, but each small component needs a
             search of its own.

form=sample  by sampling (Afforest, as wcc-sample, for lists without heads): in one round every
vertex is linked with the first neighbour that it hears, in a directed graph in both directions.
Most are then in one tree; the lists of those outside are read, because an edge that leaves the tree
is seen from its other end. Engines that pull read little else.

A directed graph's edges count in both directions: a round along out-edges and one along in-edges
tell the same vertices, in turn.

Any order converges: labels only fall, stay within the component, and a vertex whose label fell
sends again; at the end no edge joins two different labels. Taking the smallest labels first saves
work (priority = label). A search marks a vertex once, in any order.

[1] ACGraph, SIGMOD 2025, section 2.1 and the work-inflation study of section 3.1.
[2] CAVE, SIGMOD 2024, section 4.4.
[3] Afforest, as in wcc_sample.cc; XPGraph's published program finds components so.
*/
#include "engines/vertex_program.h"
#include "workloads/afforest.h"
#include "workloads/components.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

// Nearly every message carries the giant component's label and changes nothing. That label is
// usually the smallest of all vertices with edges. A vertex that has it cannot learn anything new,
// and one bit per vertex says so; more bits than labels fit into the cache (Kronecker 23,
// async_block, raw: 0.92 of the time with a byte per label; 0.92 again since these bits are asked
// first, see kFilterPush).
struct Wcc : VertexProgram<Wcc, VertexId> {
  State<VertexId> label;
  StateBits has_least;  // a bit may be set late
  VertexId least = kNoVertex;

  // In a directed graph the least label may be of a vertex that has in-edges alone.
  explicit Wcc(Engine& engine)
      : label(engine.state<VertexId>("label")), has_least(engine.state_bits("has_least")) {
    const Graph& graph = engine.graph();
    engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
      VertexId least_here = kNoVertex;
      for (VertexId v = range.begin; v < range.end; ++v) {
        label[v] = graph.original(v);
        if (degrees[v - range.begin] > 0 || !graph.symmetric)
          least_here = std::min(least_here, label[v]);
      }
      lower<Access::shared>(least, least_here);
    });
  }

  static constexpr Saying kSaying = Saying::changing;
  static constexpr Hearing kHearing = Hearing::repeatable;
  static constexpr bool kEchoes = false;
  static constexpr bool kFilterPush = true;

  Priority priority(VertexId v) override { return priority_of(peek(label[v])); }
  Message emit(Source u) { return peek(label[u.v]); }
  Message combine(Message a, Message b) { return std::min(a, b); }
  bool listens(VertexId v) override { return !has_least.get(v); }
  const void* state(VertexId v) const { return &label[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (!lower<A>(label[v], m)) return kQuiet;
    if (m == least) has_least.set(v);
    return priority_of(m);
  }
};

// A search marks the vertices that it meets with its number; until then they have kNoVertex.
struct ComponentSearch : VertexProgram<ComponentSearch, VertexId> {
  State<VertexId> met_by;
  VertexId number = 0;

  explicit ComponentSearch(Engine& engine) : met_by(engine.state("label", kNoVertex)) {}

  static constexpr Saying kSaying = Saying::common;
  static constexpr Hearing kHearing = Hearing::first;
  static constexpr bool kEchoes = false;

  Message emit(Source) { return number; }
  Message combine(Message a, Message) { return a; }
  const void* state(VertexId v) const { return &met_by[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(met_by[v], m) ? 0 : kQuiet;
  }
  bool listens(VertexId v) override { return peek(met_by[v]) == kNoVertex; }
};

// Links each vertex with one neighbour: the first that it hears.
struct FirstLinks : VertexProgram<FirstLinks, VertexId> {
  Afforest& trees;
  StateBits linked;

  FirstLinks(Engine& engine, Afforest& joined, const std::string& name)
      : trees(joined), linked(engine.state_bits(name)) {}

  static constexpr Hearing kHearing = Hearing::first;
  static constexpr bool kFilterPush = true;

  Message emit(Source u) { return u.v; }
  Message combine(Message a, Message) { return a; }
  bool listens(VertexId v) override { return !linked.get(v); }
  template <Access A>
  Priority accept(VertexId v, Message u) {
    trees.link(u, v);
    linked.set(v);
    return kQuiet;
  }
};

void converge_both_ways(Engine& engine, Program& program, Frontier&& frontier) {
  if (engine.graph().symmetric) {
    engine.converge(program, std::move(frontier));
    return;
  }
  while (!frontier.empty()) {
    Frontier next = engine.round(program, Frontier(frontier), Direction::out, Mode::any);
    next.add(engine.round(program, std::move(frontier), Direction::in, Mode::any));
    frontier = std::move(next);
  }
}

Finish by_propagation(Engine& engine) {
  Wcc wcc(engine);
  converge_both_ways(engine, wcc, Frontier::all(engine.graph()));
  return [graph = engine.graph(), label = std::move(wcc.label)]() mutable {
    return components_answer(graph, label);
  };
}

Finish by_search(Engine& engine) {
  const Graph& graph = engine.graph();
  // In a directed graph a vertex without out-edges may have in-edges.
  const Frontier linked = vertices_where(
      engine, [&graph](VertexId, std::uint32_t d) { return d > 0 || !graph.symmetric; });
  ComponentSearch search(engine);
  auto least = engine.state<VertexId>("least");  // smallest canonical id, by search
  linked.for_each([&](VertexId v) {
    if (search.met_by[v] != kNoVertex) return;
    search.met_by[v] = search.number;
    least[search.number] = kNoVertex;
    converge_both_ways(engine, search, Frontier::of(graph.id_space, {&v, 1}));
    ++search.number;
  });
  State<VertexId>& label = search.met_by;
  linked.for_each(
      [&](VertexId v) { least[label[v]] = std::min(least[label[v]], graph.original(v)); });
  for (VertexId v = 0; v < graph.id_space; ++v) {
    label[v] = label[v] == kNoVertex ? graph.original(v) : least[label[v]];
  }
  return [graph, label = std::move(label)]() mutable { return components_answer(graph, label); };
}

Finish by_sampling(Engine& engine) {
  constexpr std::uint64_t kSamples = 1024;  // as the GAP suite
  const Graph& graph = engine.graph();
  Afforest trees(engine);
  FirstLinks hears_out(engine, trees, "linked");
  engine.round(hears_out, Frontier::all(graph), Direction::out, Mode::any);
  if (!graph.symmetric) {
    FirstLinks hears_in(engine, trees, "linked_back");
    engine.round(hears_in, Frontier::all(graph), Direction::in, Mode::any);
  }
  const VertexId largest = look(trees, graph, kSamples).largest;
  Frontier outside = vertices_where(engine, [&](VertexId v, std::uint32_t d) {
    return (d > 0 || !graph.symmetric) && trees.root(v) != largest;
  });
  if (!graph.symmetric) engine.round(trees, Frontier(outside), Direction::in, Mode::push);
  engine.round(trees, std::move(outside), Direction::out, Mode::push);
  return [graph, label = labels(engine, std::move(trees))]() mutable {
    return components_answer(graph, label);
  };
}

Finish run_wcc(Engine& engine, const Parameters& parameters) {
  const std::string& form = parameters.text("form");
  if (form == "search") return by_search(engine);
  return form == "sample" ? by_sampling(engine) : by_propagation(engine);
}

}  // namespace

Workload wcc_workload() {
  return {
      .name = "wcc",
      .help = "weakly connected components by label propagation, by searches or by sampling",
      .parameters = {{.name = "form",
                      .fallback = "labels",
                      .help = "labels: the least id spreads; search: one after the other (CAVE); "
                              "sample: trees of linked vertices (Afforest)",
                      .choices = {"labels", "search", "sample"}}},
      .needs_reverse = true,
      .values = ValueKind::vertex,
      .sentence = "{#components component} of {#vertices} vertices, the largest of {#largest}",
      .run = run_wcc,
      .verify = verify_components};
}

}  // namespace outcore
