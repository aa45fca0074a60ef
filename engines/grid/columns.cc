// SPDX-License-Identifier: Apache-2.0
#include "engines/grid/columns.h"

#include <algorithm>

namespace outcore {

GridColumns::GridColumns(const EdgeLayout& layout, Direction direction) {
  const EdgeFacts& facts = layout.facts();
  const std::uint32_t chunks = facts.intervals;
  const std::uint32_t count = facts.groups > 1 ? facts.groups : chunks;
  window_of_chunk_.resize(chunks);
  for (std::uint32_t window = 0; window < count; ++window) {
    const std::uint32_t begin = first_of_group(window, chunks, count);
    const std::uint32_t end = first_of_group(window + 1, chunks, count);
    windows_.push_back({layout.intervals()[begin].begin, layout.intervals()[end - 1].end});
    std::fill(window_of_chunk_.begin() + begin, window_of_chunk_.begin() + end, window);
  }
  cells_.resize(count);
  const bool out = direction == Direction::out;
  for_each_cell(chunks, facts.groups, [&](std::uint32_t sources, std::uint32_t destinations) {
    const EdgeCell& cell =
        out ? layout.cell(sources, destinations) : layout.cell(destinations, sources);
    cells_[window_of_chunk_[destinations]].push_back(
        {sources, destinations, cell.edges, cell.first_block, layout.id_blocks(cell)});
  });
}

std::uint64_t GridColumns::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& cells : cells_) bytes += cells.capacity() * sizeof(GridCell);
  return bytes;
}

GridPlan GridColumns::plan(std::span<const std::uint8_t> active_chunks,
                           std::uint32_t part_blocks) const {
  GridPlan plan;
  for (std::uint32_t column = 0; column < count(); ++column) {
    plan.first_part.push_back(plan.parts.size());
    BlockId end = 0;        // of the last part
    bool has_room = false;  // the last part is of this column, and not full
    const std::vector<GridCell>& cells = cells_[column];
    for (std::uint32_t c = 0; c < cells.size(); ++c) {
      const GridCell& cell = cells[c];
      if (cell.edges == 0) continue;
      if (active_chunks[cell.sources] == 0) {
        ++plan.cells_skipped;
        continue;
      }
      ++plan.cells_read;
      plan.edges += cell.edges;
      plan.blocks += cell.blocks;
      for (std::uint64_t taken = 0; taken < cell.blocks;) {
        if (!has_room || end != cell.first + taken) {
          plan.parts.push_back(
              {.column = column, .cell = c, .skip = taken, .first = cell.first + taken});
        }
        GridPart& part = plan.parts.back();
        const auto more = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(part_blocks - part.blocks, cell.blocks - taken));
        part.blocks += more;
        taken += more;
        end = cell.first + taken;
        has_room = part.blocks < part_blocks;
      }
    }
  }
  plan.first_part.push_back(plan.parts.size());
  return plan;
}

}  // namespace outcore
