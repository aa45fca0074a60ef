// SPDX-License-Identifier: Apache-2.0
// Writes one column of an edge layout, <name>.blocks and <name>.sums, in which the cells of a line,
// a row or a column of the grid, are filled side by side: all cells have their place.
//
// Memory: kBufferBytes or a block for each interval, whichever is more; 4 bytes a block.
#pragma once

#include <cstdint>
#include <cstring>
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

  // Of values of `value_bytes`, 2 or 4.
  CellWriter(const std::filesystem::path& folder, const std::string& name, std::uint32_t intervals,
             std::uint32_t block_bytes, std::uint64_t blocks, std::uint32_t value_bytes);

  struct Place {
    BlockId first = 0;
    BlockId end = 0;
  };
  // A line begins whose cells have these places.
  void begin_line(const std::vector<Place>& places);
  void put(std::uint32_t number, std::uint32_t value) {
    Cell& cell = cells_[number];
    // Little-endian: its low bytes come first.
    std::memcpy(cell.bytes.data() + cell.used, &value, value_bytes_);
    cell.used += value_bytes_;
    if (cell.used == cell.bytes.size()) flush(cell);
  }
  // All bits of what is left of each cell's place are set.
  void end_line();
  // Adds the two files to the table `files`. Reads the first again, whose parts came in no order.
  void finish(nlohmann::json& files);

 private:
  struct Cell {
    std::vector<std::byte> bytes;
    std::size_t used = 0;
    BlockId next = 0;  // block that the first byte goes to
    BlockId end = 0;
  };
  void flush(Cell& cell);

  std::filesystem::path folder_;
  std::string name_;
  std::uint32_t block_bytes_;
  std::uint32_t value_bytes_;
  File file_;
  std::vector<Cell> cells_;  // of the line
  std::vector<std::uint32_t> sums_;
};

}  // namespace outcore
