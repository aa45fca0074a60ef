// SPDX-License-Identifier: Apache-2.0
#include "workloads/references.h"

#include <fmt/format.h>

#include <cmath>

namespace outcore {

std::vector<std::uint32_t> core_numbers(const CsrView& lists) {
  const VertexId n = lists.vertices();
  std::vector<std::uint32_t> core(n);
  std::vector<std::vector<VertexId>> by_degree;
  const auto file_under = [&](VertexId v) {
    if (by_degree.size() <= core[v]) by_degree.resize(std::size_t{core[v]} + 1);
    by_degree[core[v]].push_back(v);
  };
  for (VertexId v = 0; v < n; ++v) {
    core[v] = static_cast<std::uint32_t>(lists.degree(v));
    file_under(v);
  }
  std::vector<bool> peeled(n, false);
  for (std::size_t d = 0; d < by_degree.size(); ++d) {
    while (!by_degree[d].empty()) {
      const VertexId u = by_degree[d].back();
      by_degree[d].pop_back();
      if (peeled[u] || core[u] != d) continue;  // an older entry of a vertex that has moved down
      peeled[u] = true;
      for (const VertexId v : lists.list(u)) {
        if (peeled[v] || core[v] <= d) continue;
        --core[v];
        file_under(v);
      }
    }
  }
  return core;
}

std::vector<std::uint32_t> levels_from(const CsrView& out, VertexId source) {
  std::vector<std::uint32_t> level(out.vertices(), kNoLevel);
  std::vector<VertexId> queue = {source};
  level[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const VertexId v : out.list(queue[head])) {
      if (level[v] != kNoLevel) continue;
      level[v] = level[queue[head]] + 1;
      queue.push_back(v);
    }
  }
  return level;
}

Verdict compare_within(const std::string& how, const std::vector<float>& found,
                       const std::vector<double>& expected, const std::vector<double>& allowed) {
  if (found.size() != expected.size()) {
    return {how, false, fmt::format("{} values for {} vertices", found.size(), expected.size())};
  }
  for (std::size_t v = 0; v < found.size(); ++v) {
    if (std::fabs(found[v] - expected[v]) <= allowed[v]) continue;
    return {how, false,
            fmt::format("vertex {}: found {}, expected {} within {:.3g}", v, found[v],
                        static_cast<float>(expected[v]), allowed[v])};
  }
  return {how, true, {}};
}

}  // namespace outcore
