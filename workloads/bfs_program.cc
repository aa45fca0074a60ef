// SPDX-License-Identifier: Apache-2.0
#include "workloads/bfs_program.h"

#include "workloads/references.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

std::vector<std::uint32_t> canonical_levels(const Graph& graph, const Levels& levels) {
  return std::visit(
      [&]<typename Level>(const State<Level>& level) {
        return canonical_values<std::uint32_t>(graph, [&](VertexId v) {
          return level[v] == Bfs<Level>::kUnmet ? kNoLevel : std::uint32_t{level[v]};
        });
      },
      levels);
}

}  // namespace

Answer bfs_answer(const Graph& graph, VertexId source, const Levels& by_layout_id) {
  Answer answer{.values = canonical_levels(graph, by_layout_id), .summary = {}};
  const auto& levels = std::get<0>(answer.values);
  const auto unreached = std::count(levels.begin(), levels.end(), kNoLevel);
  const auto reached = levels.size() - static_cast<std::size_t>(unreached);
  // The maximum of level + 1, which wraps to 0 for kNoLevel. So the loop needs no branch, which
  // millions of unreached vertices at random places would make slow.
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
