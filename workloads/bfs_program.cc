// SPDX-License-Identifier: Apache-2.0
#include "workloads/bfs_program.h"

#include "workloads/references.h"

namespace outcore {

Answer bfs_answer(const Graph& graph, VertexId source, Bfs&& bfs) {
  Answer answer{.values = in_canonical_order(graph, std::move(bfs.level)), .summary = {}};
  std::uint64_t reached = 0;
  std::uint32_t depth = 0;
  for (const std::uint32_t level : std::get<0>(answer.values)) {
    if (level == kNoLevel) continue;
    ++reached;
    depth = std::max(depth, level);
  }
  answer.summary = {{"source", graph.original(source)}, {"reached", reached}, {"depth", depth}};
  return answer;
}

// A queue over the canonical lists:
//  - the source has level 0
//  - every other vertex has the level at which a serial search first meets it, or none
Verdict verify_bfs(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const VertexId source = find_source(canonical.out, parameters.text("source"));
  return compare("serial search with a queue", std::get<0>(answer.values),
                 levels_from(canonical.out, source));
}

}  // namespace outcore
