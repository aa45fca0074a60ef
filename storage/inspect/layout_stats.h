// SPDX-License-Identifier: Apache-2.0
// How well a layout fills its blocks: what ChunkGraph tabulates of its chunks (Tables 4 and 5), for
// every pack.
//
// Reads the index, and the blocks of encoded layouts. Memory: 4 bytes a block.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "storage/layout/layout.h"

namespace outcore {

// Neighbouring blocks that are filled in units of one size: of most packs all blocks of a
// direction, and a chunk is a block.
struct LevelStats {
  std::uint64_t chunk_bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t fragments = 0;  // chunks that are not full
  [[nodiscard]] std::uint64_t bytes() const { return chunks * chunk_bytes; }
  [[nodiscard]] std::uint64_t free_bytes() const { return bytes() - used_bytes; }
};

struct DirectionStats {
  Direction direction = Direction::out;
  std::uint64_t lists = 0;      // that lie in blocks
  std::uint64_t cut_lists = 0;  // that would fit a chunk and lie in two
  std::vector<LevelStats> levels = {};
};

// Of each direction that is stored: of a symmetric graph one.
std::vector<DirectionStats> layout_stats(const Layout& layout);

}  // namespace outcore
