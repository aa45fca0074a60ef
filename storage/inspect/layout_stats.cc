// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/layout_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "storage/layout/mapped_blocks.h"

namespace outcore {

namespace {

// A level while its chunks are being counted; all members are in slots.
struct Level {
  LevelStats stats;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t chunk = 0;
  std::vector<std::uint32_t> used = {};  // slots used in each chunk
};

class ChunkCount {
 public:
  ChunkCount(const Layout& layout, Direction direction)
      : layout_(layout), index_(layout.index(direction)), result_{.direction = direction} {
    const BlockFile& file = layout.block_files()[layout.file(direction)];
    if (layout.pieces().encoded()) blocks_.emplace(map_blocks(file));
    const LayoutFacts& facts = layout.facts();
    const bool in = direction == Direction::in && !facts.symmetric;
    for (const ChunkLevel& level : in ? facts.in_levels : facts.out_levels) {
      const bool super = level.chunk_bytes == 0;
      add_level(super ? facts.block_bytes : level.chunk_bytes, level.first_block, level.end_block);
      levels_.back().stats.super = super;
    }
    if (levels_.empty()) add_level(facts.block_bytes, 0, file.blocks());
  }

  DirectionStats run() {
    for (VertexId id = 0; id < layout_.facts().id_space; ++id) {
      if (!index_.is_inline(index_.degree(id))) count(index_.address(id));
    }
    for (Level& level : levels_) summarize(level);
    return std::move(result_);
  }

 private:
  void add_level(std::uint64_t chunk_bytes, BlockId first, BlockId end) {
    Level level{.stats = {.chunk_bytes = chunk_bytes},
                .begin = first * index_.slots_per_block(),
                .end = end * index_.slots_per_block(),
                .chunk = chunk_bytes / layout_.pieces().slot_bytes()};
    level.used.resize((level.end - level.begin) / level.chunk);
    levels_.push_back(std::move(level));
  }

  // The index does not have the length of an encoded list within one block; the block does.
  [[nodiscard]] std::uint64_t slots(const ListAddress& list) const {
    if (!blocks_ || index_.first_block(list) != index_.last_block(list)) return list.slots;
    const std::uint64_t block_bytes = layout_.facts().block_bytes;
    const std::uint64_t end = (list.position / block_bytes + 1) * block_bytes;
    return layout_.pieces().checked_bytes(
        blocks_->as<std::byte>().subspan(list.position, end - list.position));
  }

  void count(const ListAddress& list) {
    const auto level = std::find_if(levels_.begin(), levels_.end(),
                                    [&](const Level& l) { return list.position < l.end; });
    const std::uint64_t length = slots(list);
    if (level == levels_.end() || list.position < level->begin ||
        list.position + length > level->begin + level->used.size() * level->chunk) {
      throw bad_input(Place::file(layout_.folder()),
                      fmt::format("a list of {} slots from slot {}", length, list.position),
                      "lists within their level's chunks", kBuildAgain);
    }
    const std::uint64_t begin = list.position - level->begin;
    const std::uint64_t end = begin + length;
    std::uint64_t chunks = 0;
    for (std::uint64_t at = begin; at < end; ++chunks) {
      const std::uint64_t number = at / level->chunk;
      const std::uint64_t part_end = std::min(end, (number + 1) * level->chunk);
      level->used[number] += static_cast<std::uint32_t>(part_end - at);
      at = part_end;
    }
    const std::uint64_t least = (end - begin + level->chunk - 1) / level->chunk;
    ++level->stats.lists;
    ++result_.lists;
    result_.cut_lists += least == 1 && chunks == 2 ? 1 : 0;
    result_.chunk_reads += chunks;
    result_.reads_for_cuts += chunks - least;
  }

  void summarize(Level& level) {
    // Chunks smaller than blocks need not fill the last block of their level.
    while (!level.used.empty() && level.used.back() == 0) level.used.pop_back();
    level.stats.chunks = level.used.size();
    for (const std::uint32_t used : level.used) {
      level.stats.used_bytes += std::uint64_t{used} * layout_.pieces().slot_bytes();
      level.stats.fragments += used < level.chunk ? 1 : 0;
    }
    result_.levels.push_back(level.stats);
  }

  const Layout& layout_;
  const ListIndex& index_;
  std::optional<MappedFile> blocks_;  // of encoded layouts
  std::vector<Level> levels_;
  DirectionStats result_;
};

}  // namespace

DirectionStats chunk_level_stats(const Layout& layout, Direction direction) {
  return ChunkCount(layout, direction).run();
}

std::vector<DirectionStats> layout_stats(const Layout& layout) {
  std::vector<DirectionStats> stats = {chunk_level_stats(layout, Direction::out)};
  if (!layout.facts().symmetric) stats.push_back(chunk_level_stats(layout, Direction::in));
  return stats;
}

}  // namespace outcore
