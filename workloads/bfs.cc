// SPDX-License-Identifier: Apache-2.0
/*
Kernel: breadth-first search (bfs)
Returns: level of each vertex, kUnreached where there is no path from the source

A frontier vertex says its level; its neighbours take one more than the least that they hear, and
are active when that lowered them.

Any order converges: levels only fall, each is the length of some path, and a vertex whose level
fell speaks again. In rounds every level is right when it is first heard, so that a vertex speaks
once; a vertex that listens in a pull round needs to hear only one neighbour.

[1] S. Beamer, K. Asanovic, D. Patterson. Direction-Optimizing Breadth-First Search. SC 2012.
[2] ACGraph, SIGMOD 2025, Algorithm 2 (the same in any order, priority = level).
*/
#include "engines/vertex_program.h"
#include "workloads/references.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

constexpr std::uint32_t kUnreached = kNoLevel;

struct Bfs : VertexProgram<Bfs, std::uint32_t> {
  std::vector<std::uint32_t> level;

  Bfs(VertexId id_space, VertexId source) : level(id_space, kUnreached) { level[source] = 0; }

  Traits traits() const override {
    return {.message_bytes = sizeof(Message), .combines = true, .first_is_enough = true};
  }
  Priority priority(VertexId v) override { return static_cast<Priority>(peek(level[v])); }
  Message emit(Source u) { return peek(level[u.v]); }
  Message along(Message m, VertexId, VertexId, float) { return m + 1; }
  Message combine(Message a, Message b) { return std::min(a, b); }
  const void* state(VertexId v) const { return &level[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(level[v], m) ? static_cast<Priority>(m) : kQuiet;
  }
  bool listens(VertexId v) override { return peek(level[v]) == kUnreached; }
};

Answer run(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const VertexId source = find_source(engine, parameters.text("source"));
  Bfs bfs(graph.id_space, source);
  engine.converge(bfs, Frontier::of(graph.id_space, {&source, 1}));

  Answer answer{.values = in_canonical_order(graph, std::move(bfs.level)), .summary = {}};
  std::uint64_t reached = 0;
  std::uint32_t depth = 0;
  for (const std::uint32_t level : std::get<0>(answer.values)) {
    if (level == kUnreached) continue;
    ++reached;
    depth = std::max(depth, level);
  }
  answer.summary = {{"source", graph.original(source)}, {"reached", reached}, {"depth", depth}};
  return answer;
}

// A queue over the canonical lists:
//  - the source has level 0
//  - every other vertex has the level at which a serial search first meets it, or none
Verdict verify(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const VertexId source = find_source(canonical.out, parameters.text("source"));
  return compare("serial search with a queue", std::get<0>(answer.values),
                 levels_from(canonical.out, source));
}

}  // namespace

Workload bfs_workload() {
  return {.name = "bfs",
          .help = "levels of a breadth-first search",
          .parameters = {{"source", "max-degree", "max-degree, random:SEED or a vertex id"}},
          .run = run,
          .verify = verify};
}

}  // namespace outcore
