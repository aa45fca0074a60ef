// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/layout_stats.h"

#include "storage/container/mapped_file.h"

namespace outcore {

namespace {

// Slots of a piece. The index does not say how long an encoded list is, its block does.
std::uint32_t slots_of(const Layout& layout, const BlockPart& part,
                       std::span<const std::byte> blocks) {
  if (!layout.pieces().encoded()) return part.slots;
  const std::size_t block_bytes = layout.facts().block_bytes;
  return layout.pieces().checked_bytes(
      blocks.subspan(part.block * block_bytes + part.slot, block_bytes - part.slot));
}

DirectionStats direction_stats(const Layout& layout, Direction direction) {
  const ListIndex& index = layout.index(direction);
  const BlockFile& file = layout.block_files()[layout.file(direction)];
  const MappedFile mapped(file.path);
  const std::uint64_t slot_bytes = layout.facts().block_bytes / index.slots_per_block();
  std::vector<std::uint32_t> used(file.blocks());  // slots
  DirectionStats stats{direction};
  for (VertexId id = 0; id < layout.facts().id_space; ++id) {
    if (index.is_inline(index.degree(id))) continue;
    const ListAddress list = index.address(id);
    ++stats.lists;
    const BlockId last = index.last_block(list);
    for (BlockId block = index.first_block(list); block <= last; ++block) {
      used[block] += slots_of(layout, index.part(list, block), mapped.as<std::byte>());
    }
    const bool fits = list.slots <= index.slots_per_block();
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
