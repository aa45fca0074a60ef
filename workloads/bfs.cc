// SPDX-License-Identifier: Apache-2.0
/*
Kernel: breadth-first search (bfs)
Returns: the level of each vertex, kNoLevel for vertices without a path from the source

A frontier vertex sends its level. Each neighbour takes one more than the smallest level that it
hears, and becomes active if that lowered its own.

Any order converges: levels only fall, each level is the length of some path, and a vertex whose
level fell sends again. In rounds every level is right when it is first heard, so each vertex sends
once, and a vertex that listens in a pull round needs to hear only one neighbour.

[1] S. Beamer, K. Asanovic, D. Patterson. Direction-Optimizing Breadth-First Search. SC 2012.
[2] ACGraph, SIGMOD 2025, Algorithm 2 (the same in any order, priority = level).
*/
#include "workloads/bfs_program.h"
#include "workloads/registry.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

Finish run_bfs(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const VertexId source = find_source(engine, parameters.text("source"));
  Levels levels = search_from(source, engine, [&](Program& bfs, Frontier&& frontier) {
    engine.converge(bfs, std::move(frontier));
  });
  return [graph, source, levels = std::move(levels)] { return bfs_answer(graph, source, levels); };
}

}  // namespace

Workload bfs_workload() {
  return {.name = "bfs",
          .help = "levels of a breadth-first search",
          .parameters = {source_parameter()},
          .sentence = "reached {#reached} of {#vertices} vertices in {#depth level} from {source}",
          .run = run_bfs,
          .verify = verify_bfs};
}

}  // namespace outcore
