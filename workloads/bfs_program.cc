// SPDX-License-Identifier: Apache-2.0
#include "workloads/bfs_program.h"

#include "workloads/references.h"
#include "workloads/sources.h"

namespace outcore {

Answer bfs_answer(const Graph& graph, VertexId source, std::vector<std::uint32_t>&& level) {
  Answer answer{.values = in_canonical_order(graph, std::move(level)), .summary = {}};
  const auto& levels = std::get<0>(answer.values);
  const auto unreached = std::count(levels.begin(), levels.end(), kNoLevel);
  const auto reached = levels.size() - static_cast<std::size_t>(unreached);
  // One more than each level: 0 for kNoLevel, so that the loop needs no branch, which millions of
  // unreached vertices at random places would make a slow one.
  std::uint32_t depth = 1;
  for (const std::uint32_t l : levels) depth = std::max(depth, l + 1);
  --depth;
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
