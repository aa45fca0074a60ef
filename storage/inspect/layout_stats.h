// SPDX-License-Identifier: Apache-2.0
// How well a layout of lists fills its blocks: what ChunkGraph tabulates of its chunks (Tables 4
// and 5), for every pack, and how many chunks lists lie in only because they are cut. Of the latter
// the paper's section 4.3 counts accesses of runs: 19.6% without its chunks, 0.5% with them.
//
// Reads the index, and the blocks of encoded layouts, whose index does not say how long a list is.
// Memory: 4 bytes a chunk.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "storage/layout/layout.h"

namespace outcore {

// Neighbouring blocks that are filled in units of one size: of most packs all blocks of a
// direction, and a chunk is a block; of pack chunks a level, or its super lists, by blocks.
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
  std::uint64_t lists = 0;      // that lie in blocks
  std::uint64_t cut_lists = 0;  // that would fit a chunk and lie in two
  // If each list were read once, by itself: chunks, and those of them that would not be needed if
  // every list began with a chunk.
  std::uint64_t chunk_reads = 0;
  std::uint64_t reads_for_cuts = 0;
  std::vector<LevelStats> levels = {};
};

DirectionStats chunk_level_stats(const Layout& layout, Direction direction);
// Of each direction that is stored: of a symmetric graph one.
std::vector<DirectionStats> layout_stats(const Layout& layout);

}  // namespace outcore
