// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/two_level_bfs.h"

#include "storage/layout/by_degree.h"

namespace outcore {

namespace {

constexpr std::uint64_t kEnoughPercent = 95;  // the paper's R

}  // namespace

std::vector<VertexId> two_level_bfs(const NumberedGraph& graph) {
  const VertexId vertices = graph.ids();
  const std::vector<VertexId> roots =
      by_descending_degree(vertices, [&](VertexId id) { return graph.reverse_degree(id); });
  std::vector<VertexId> order;
  order.reserve(vertices);
  std::vector<bool> placed(vertices);
  const auto append = [&](VertexId id) {
    if (placed[id]) return;
    placed[id] = true;
    order.push_back(id);
  };
  ListBuffer buffer;
  for (const VertexId root : roots) {
    if (placed[root]) continue;
    if (order.size() * 100 >= vertices * kEnoughPercent) break;
    std::size_t next = order.size();
    append(root);
    for (int level = 0; level < 2; ++level) {
      for (const std::size_t end = order.size(); next < end; ++next) {
        for (const VertexId target : graph.list(order[next], buffer)) append(target);
      }
    }
  }
  for (const VertexId id : roots) append(id);
  return order;
}

}  // namespace outcore
