// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/layout_stats.h"

namespace outcore {

namespace {

DirectionStats direction_stats(const Layout& layout, Direction direction) {
  const ListIndex& index = layout.index(direction);
  const std::uint64_t slot_bytes = layout.facts().block_bytes / index.slots_per_block();
  std::vector<std::uint32_t> used(layout.block_files()[layout.file(direction)].blocks());  // slots
  DirectionStats stats{direction};
  for (VertexId id = 0; id < layout.facts().id_space; ++id) {
    const ListAddress list = index.address(id);
    if (list.degree == 0) continue;
    ++stats.lists;
    const BlockId last = index.last_block(list);
    for (BlockId block = index.first_block(list); block <= last; ++block) {
      used[block] += index.part(list, block).count;
    }
    const bool fits = list.degree <= index.slots_per_block();
    stats.cut_lists += fits && index.first_block(list) != last ? 1 : 0;
  }
  LevelStats level{layout.facts().block_bytes, used.size()};
  for (const std::uint32_t slots : used) {
    level.used_bytes += slots * slot_bytes;
    level.fragments += slots < index.slots_per_block() ? 1 : 0;
  }
  stats.levels.push_back(level);
  return stats;
}

}  // namespace

std::vector<DirectionStats> layout_stats(const Layout& layout) {
  std::vector<DirectionStats> stats = {direction_stats(layout, Direction::out)};
  if (!layout.facts().symmetric) stats.push_back(direction_stats(layout, Direction::in));
  return stats;
}

}  // namespace outcore
