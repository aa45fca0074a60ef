// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/order_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "storage/container/hashed_file.h"
#include "storage/io/door.h"

namespace outcore {

void write_order_table(const std::filesystem::path& folder, const std::string& prefix,
                       const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                       std::uint64_t inline_edges, nlohmann::json& files) {
  std::vector<VertexId> order(graph.ids());
  std::iota(order.begin(), order.end(), VertexId{0});
  const auto others = std::stable_partition(
      order.begin(), order.end(), [&](VertexId id) { return graph.degree(id) > inline_edges; });
  std::sort(order.begin(), others,
            [&](VertexId a, VertexId b) { return positions[a] < positions[b]; });
  HashedFile file(folder / (prefix + ".order"));
  file.write(std::as_bytes(std::span(order)));
  files[prefix + ".order"] = file.finish();
}

void check_order_table(const Layout& layout, Direction direction) {
  const std::string name = direction == Direction::out ? "out.order" : "in.order";
  const ListIndex& index = layout.index(direction);
  const std::vector<VertexId> order = layout.read_order(direction);
  std::vector<bool> met(order.size());
  // For the previous id: is its list outside the blocks, and otherwise where is it?
  std::pair<bool, std::uint64_t> before = {false, 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const VertexId id = order[i];
    const bool known = id < order.size() && !met[id];
    std::pair<bool, std::uint64_t> place = {true, id};
    if (known && !index.is_inline(index.degree(id))) place = {false, index.address(id).position};
    if (!known || place < before) {
      throw bad_input(Place::offset(layout.folder() / name, i * sizeof(VertexId)),
                      fmt::format("vertex {}", id), "each id once, in the order of the blocks",
                      kBuildAgain);
    }
    met[id] = true;
    before = place;
  }
}

}  // namespace outcore
