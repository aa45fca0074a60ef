// SPDX-License-Identifier: Apache-2.0
/*
Kernel: core numbers (coreness)
Returns: for each vertex the largest k such that it is in the k-core

Levels are peeled one after another. At level k, the remaining vertices with fewer than k remaining
neighbours leave with core number k - 1. Each of them tells its neighbours once; these count down,
and leave too when they fall below k. When no vertex leaves any more, the rest is the k-core. The
next level is the smallest count in it plus one, so levels at which no vertex would leave are
skipped. The remaining vertices are compacted at each level, so a level costs time for what is left
and not for n.

Within a level any order converges to the same set: a vertex that leaves never makes another stay,
and a count falls past k exactly once. So no vertex is more urgent than another: all priorities are
equal.

A loop is a neighbour that never leaves before its vertex. Each of several parallel edges counts.

[1] ChunkGraph, USENIX ATC 2024, section 4.1 (KCores), and Ligra's KCore.
[2] V. Batagelj, M. Zaversnik. An O(m) Algorithm for Cores Decomposition of Networks. 2003.
[3] L. Dhulipala, G. Blelloch, J. Shun. Julienne: A Framework for Parallel Graph Algorithms using
    Work-efficient Bucketing. SPAA 2017 (levels that are skipped).
*/
#include "workloads/peel.h"
#include "workloads/references.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

Finish run_coreness(Engine& engine, const Parameters&) {
  const Graph& graph = engine.graph();
  Peel peel(engine, 0);
  auto core = engine.state<std::uint32_t>("core");
  auto all = engine.zeros<VertexId>("left", graph.vertices);
  std::span<VertexId> left(all);
  std::size_t count = 0;
  for (VertexId v = 0; v < graph.id_space; ++v) {
    if (graph.is_real(v)) left[count++] = v;
  }
  std::uint64_t levels = 0;
  while (!left.empty()) {
    std::int32_t least = peel.remaining[left[0]];
    for (const VertexId v : left) least = std::min(least, peel.remaining[v]);
    peel.k = least + 1;
    Frontier leaving(graph.id_space);
    for (const VertexId v : left) {
      if (peel.remaining[v] < peel.k) leaving.add(v);
    }
    engine.converge(peel, std::move(leaving));
    const auto stay = std::remove_if(left.begin(), left.end(), [&](VertexId v) {
      if (peel.remaining[v] >= peel.k) return false;
      core[v] = static_cast<std::uint32_t>(least);
      return true;
    });
    left = {left.begin(), stay};
    ++levels;
  }
  const std::int32_t degeneracy = std::max(peel.k - 1, 0);
  return [graph, degeneracy, levels, core]() -> Answer {
    return {.values = in_canonical_order(graph, core),
            .summary = {{"degeneracy", degeneracy}, {"levels", levels}}};
  };
}

// Bucket order over the canonical lists [2]: every vertex has the core number with which it leaves
// the last of its buckets.
Verdict verify_coreness(const Canonical& canonical, const Answer& answer, const Parameters&) {
  return compare("core numbers by bucket order", std::get<0>(answer.values),
                 core_numbers(canonical.out));
}

}  // namespace

Workload coreness_workload() {
  return {.name = "coreness",
          .help = "core numbers by peeling levels",
          .parameters = {},
          .needs_symmetric = true,
          .repeats = "each counts as a neighbour",
          .sentence = "the largest core is the {degeneracy}-core; {#levels core number} in all",
          .run = run_coreness,
          .verify = verify_coreness};
}

}  // namespace outcore
