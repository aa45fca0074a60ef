// SPDX-License-Identifier: Apache-2.0
// The chunks of one direction of a layout (ChunkGraph, section 3.2): what is brought into memory,
// evicted and counted as one. A layout of pack `chunks` has levels of them, and after the levels
// the lists of super vertices, which are brought block by block. Any other layout is one level
// whose chunks are its blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "storage/io/merge.h"
#include "storage/layout/layout.h"

namespace outcore {

using ChunkId = std::uint32_t;

class ChunkTable {
 public:
  static constexpr std::size_t kMostLevels = 5;  // that of super vertices' pages too
  struct Level {
    BlockId first_block = 0;
    BlockId end_block = 0;
    std::uint32_t blocks_per_chunk = 1;
    ChunkId first_chunk = 0;
    [[nodiscard]] std::uint64_t blocks() const { return end_block - first_block; }
  };

  // Levels whose chunks are larger than `largest` bytes are taken block by block.
  ChunkTable(const Layout& layout, Direction direction, std::uint64_t largest)
      : block_bytes_(layout.facts().block_bytes) {
    const bool out = layout.file(direction) == layout.file(Direction::out);
    const std::vector<ChunkLevel>& levels =
        out ? layout.facts().out_levels : layout.facts().in_levels;
    for (const ChunkLevel& level : levels) {
      const std::uint64_t bytes = level.chunk_bytes > largest ? 0 : level.chunk_bytes;
      add(level.first_block, level.end_block, std::max<std::uint64_t>(1, bytes / block_bytes_));
    }
    if (levels.empty()) add(0, layout.block_files()[layout.file(direction)].blocks(), 1);
  }

  [[nodiscard]] ChunkId size() const { return chunks_; }
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  [[nodiscard]] BlockId end_block() const { return levels_.back().end_block; }
  [[nodiscard]] std::size_t level_of(BlockId block) const {
    std::size_t level = 0;
    while (block >= levels_[level].end_block) ++level;
    return level;
  }
  [[nodiscard]] ChunkId at(BlockId block) const {
    const Level& level = levels_[level_of(block)];
    return level.first_chunk +
           static_cast<ChunkId>((block - level.first_block) / level.blocks_per_chunk);
  }
  [[nodiscard]] std::size_t level_of_chunk(ChunkId chunk) const {
    std::size_t level = levels_.size() - 1;
    while (chunk < levels_[level].first_chunk) --level;
    return level;
  }
  [[nodiscard]] BlockRun blocks(ChunkId chunk) const {
    const Level& level = levels_[level_of_chunk(chunk)];
    return {level.first_block + BlockId{chunk - level.first_chunk} * level.blocks_per_chunk,
            level.blocks_per_chunk};
  }
  [[nodiscard]] std::uint32_t block_bytes() const { return block_bytes_; }
  [[nodiscard]] std::uint64_t bytes(ChunkId chunk) const {
    return std::uint64_t{blocks(chunk).blocks} * block_bytes_;
  }

 private:
  void add(BlockId first, BlockId end, std::uint64_t blocks_per_chunk) {
    levels_.push_back({first, end, static_cast<std::uint32_t>(blocks_per_chunk), chunks_});
    chunks_ += static_cast<ChunkId>((end - first) / blocks_per_chunk);
  }

  std::uint32_t block_bytes_;
  std::vector<Level> levels_;
  ChunkId chunks_ = 0;
};

}  // namespace outcore
