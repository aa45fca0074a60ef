// SPDX-License-Identifier: Apache-2.0
// The right answers: serial references that know nothing about programs or engines.
#pragma once

#include <vector>

#include "tests/contract/toy_programs.h"

namespace outcore::toys {

// Levels of a search, by relaxing edges until nothing changes.
inline std::vector<std::uint32_t> reference_levels(const ToyGraph& g, VertexId source) {
  std::vector<std::uint32_t> levels(g.out.size(), Bfs::kUnreached);
  levels[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId u = 0; u < g.out.size(); ++u) {
      for (const VertexId v : g.out[u]) {
        if (levels[u] + 1 >= levels[v]) continue;
        levels[v] = levels[u] + 1;
        changed = true;
      }
    }
  }
  return levels;
}

// PageRank, after so many iterations.
inline std::vector<double> reference_ranks(const ToyGraph& g, int iterations) {
  constexpr double kDamping = PagerankDelta::kDamping;
  const auto n = static_cast<double>(g.out.size());
  std::vector<double> rank(g.out.size(), 1 / n);
  for (; iterations > 0; --iterations) {
    std::vector<double> next(g.out.size(), (1 - kDamping) / n);
    for (VertexId u = 0; u < g.out.size(); ++u) {
      for (const VertexId v : g.out[u]) {
        next[v] += kDamping * rank[u] / static_cast<double>(g.out[u].size());
      }
    }
    rank = next;
  }
  return rank;
}

}  // namespace outcore::toys
