// SPDX-License-Identifier: Apache-2.0
// The blocks of a grid in the order in which one direction is streamed (GridGraph, section 3.2):
// columns outer, rows inner, so that each column's destinations are written once a round while the
// sources slide by. Our layouts call a block of the grid a *cell*, for a block is 4 KB.
//
// With groups, the second level, a column is one of groups: its destinations are those of several
// chunks, and its cells lie group of rows by group of rows, so that a group's sources are read once
// for all of them.
//
// Along in-edges rows and columns change places: destinations are the rows' vertices, and a
// column's cells lie apart in the file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/layout/edges/edge_layout.h"

namespace outcore {

struct GridCell {
  std::uint32_t sources = 0;  // chunk
  std::uint32_t destinations = 0;
  EdgeIndex edges = 0;
  BlockId first = 0;         // of a column of ids
  std::uint64_t blocks = 0;  // likewise
};

// Neighbouring blocks of the file that are asked for together: all of a column's cells, or a part
// of one.
struct GridPart {
  std::uint32_t column = 0;
  std::uint32_t cell = 0;  // of the column: the first one
  std::uint64_t skip = 0;  // blocks of that cell before the part
  BlockId first = 0;
  std::uint32_t blocks = 0;
};

// What one round streams: parts by column, and what they hold.
struct GridPlan {
  std::vector<GridPart> parts;
  std::vector<std::size_t> first_part;  // of each column, and the end
  std::uint64_t cells_read = 0;
  std::uint64_t cells_skipped = 0;
  EdgeIndex edges = 0;
  std::uint64_t blocks = 0;
};

class GridColumns {
 public:
  GridColumns(const EdgeLayout& layout, Direction direction);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(windows_.size()); }
  [[nodiscard]] VertexRange destinations(std::uint32_t column) const { return windows_[column]; }
  // Where a chunk's messages lie: a window of sources is a chunk, or a group of chunks.
  [[nodiscard]] std::uint32_t source_window(std::uint32_t chunk) const {
    return window_of_chunk_[chunk];
  }
  [[nodiscard]] VertexRange sources(std::uint32_t window) const { return windows_[window]; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

  // All parts of at most `part_blocks`, without the cells whose chunk of sources is not active.
  [[nodiscard]] GridPlan plan(std::span<const std::uint8_t> active_chunks,
                              std::uint32_t part_blocks) const;

  // f(cell, blocks of the part before its edges, how many of these) for each cell that the part has
  // edges of.
  template <typename F>
  void for_each_run(const GridPart& part, std::uint64_t edges_per_block, const F& f) const {
    const GridCell* cell = &cells_[part.column][part.cell];
    std::uint64_t skip = part.skip;
    for (std::uint64_t done = 0; done < part.blocks; ++cell, skip = 0) {
      const std::uint64_t blocks = std::min<std::uint64_t>(cell->blocks - skip, part.blocks - done);
      const EdgeIndex before = skip * edges_per_block;
      const EdgeIndex edges = std::min(cell->edges - before, blocks * edges_per_block);
      if (edges > 0) f(*cell, done, edges);
      done += blocks;
    }
  }

 private:
  std::vector<VertexRange> windows_;  // of destinations by column, and of sources
  std::vector<std::uint32_t> window_of_chunk_;
  std::vector<std::vector<GridCell>> cells_;  // by column, in the order of streaming
};

}  // namespace outcore
