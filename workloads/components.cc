// SPDX-License-Identifier: Apache-2.0
#include "workloads/components.h"

#include <numeric>

namespace outcore {

Answer components_answer(const Graph& graph, std::span<VertexId> labels) {
  Answer answer{.values = canonical_values<VertexId>(graph, [&](VertexId v) { return labels[v]; }),
                .names_vertices = true,
                .summary = {}};
  const auto& canonical = std::get<0>(answer.values);
  // Reuses the labels' memory: allocating new memory would take longer than all the work here.
  const std::span<std::uint32_t> sizes = labels.first(canonical.size());
  std::fill(sizes.begin(), sizes.end(), 0);
  std::uint64_t components = 0;
  for (std::size_t v = 0; v < canonical.size(); ++v) {
    components += canonical[v] == v ? 1 : 0;
    ++sizes[canonical[v]];
  }
  const auto largest = std::max_element(sizes.begin(), sizes.end());
  answer.summary = {{"components", components}, {"largest", largest == sizes.end() ? 0 : *largest}};
  return answer;
}

// Union-find over all edges:
//  - two vertices have the same label if and only if a path joins them
//  - the label is the smallest id of the component
Verdict verify_components(const Canonical& canonical, const Answer& answer, const Parameters&) {
  std::vector<std::uint32_t> parent(canonical.out.vertices());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto find = [&](VertexId v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (VertexId u = 0; u < canonical.out.vertices(); ++u) {
    for (const VertexId v : canonical.out.list(u)) {
      const VertexId a = find(u);
      const VertexId b = find(v);
      parent[std::max(a, b)] = std::min(a, b);  // the root is always the smallest id
    }
  }
  for (VertexId v = 0; v < canonical.out.vertices(); ++v) parent[v] = find(v);
  return compare("union-find over all edges", std::get<0>(answer.values), parent);
}

}  // namespace outcore
