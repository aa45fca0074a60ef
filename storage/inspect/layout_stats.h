// SPDX-License-Identifier: Apache-2.0
// How well a layout of lists fills its blocks. For every pack, it counts what ChunkGraph tabulates
// for its chunks (Tables 4 and 5), and how many chunks are read only because lists are cut. For the
// latter, the paper's section 4.3 counts the accesses of runs: 19.6% without its chunks, 0.5% with
// them.
//
// Reads the index, and the blocks of encoded layouts, whose index does not have the lengths of
// lists. Memory: 4 bytes per chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "storage/layout/layout.h"

namespace outcore {

// Neighbouring blocks that are filled in chunks of one size. For most packs these are all blocks of
// a direction, and a chunk is a block. For the pack `chunks` these are one level; its super lists
// are counted by blocks.
struct LevelStats {
  std::uint64_t chunk_bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t fragments = 0;  // chunks that are not full
  std::uint64_t lists = 0;
  bool super = false;
  [[nodiscard]] std::uint64_t bytes() const { return chunks * chunk_bytes; }
  [[nodiscard]] std::uint64_t free_bytes() const { return bytes() - used_bytes; }
};

struct DirectionStats {
  Direction direction = Direction::out;
  std::uint64_t lists = 0;      // lists in blocks
  std::uint64_t cut_lists = 0;  // lists that would fit one chunk and lie in two
  // If each list were read once, by itself: the chunks read, and how many of them would not be read
  // if every list began at the start of a chunk.
  std::uint64_t chunk_reads = 0;
  std::uint64_t reads_for_cuts = 0;
  std::vector<LevelStats> levels = {};
};

DirectionStats chunk_level_stats(const Layout& layout, Direction direction);
// For each stored direction: a symmetric graph has one.
std::vector<DirectionStats> layout_stats(const Layout& layout);

}  // namespace outcore
