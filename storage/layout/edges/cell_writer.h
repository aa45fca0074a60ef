// SPDX-License-Identifier: Apache-2.0
// Writes one column of an edge layout, <name>.blocks and <name>.sums, in which the cells of a row
// are filled side by side: an edge goes to the cell of its target, and all cells have their place.
//
// Memory: kBufferBytes or a block for each interval, whichever is more; 4 bytes a block.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/ids.h"

namespace outcore {

class CellWriter {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{16} << 20;

  CellWriter(const std::filesystem::path& folder, const std::string& name, std::uint32_t intervals,
             std::uint32_t block_bytes, std::uint64_t blocks);

  // A row begins whose cells begin at these blocks, by column.
  void begin_row(std::vector<BlockId> first_blocks);
  void put(std::uint32_t column, std::uint32_t value) {
    Cell& cell = cells_[column];
    cell.words[cell.used++] = value;
    if (cell.used == cell.words.size()) flush(cell);
  }
  // What is left of each cell's last block is filled with kNoVertex.
  void end_row();
  // Adds the two files to the table `files`. Reads the first again, whose parts came in no order.
  void finish(nlohmann::json& files);

 private:
  struct Cell {
    std::vector<std::uint32_t> words;
    std::size_t used = 0;
    BlockId next = 0;  // block that the first word goes to
  };
  void flush(Cell& cell);

  std::filesystem::path folder_;
  std::string name_;
  std::uint32_t block_bytes_;
  File file_;
  std::vector<Cell> cells_;  // of the row, by column
  std::vector<std::uint32_t> sums_;
};

}  // namespace outcore
