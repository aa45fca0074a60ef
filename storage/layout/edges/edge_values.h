// SPDX-License-Identifier: Apache-2.0
// The values on the edges of a layout that has them (edge_layout.h): read and written in place by
// whole blocks, with a checksum of each block kept beside.
//
// There is one writer at a time: it holds a lock on the file while it lives. Sums are written by
// close(). Until then values.open stands in the folder; who finds it there, with no lock held,
// knows that a writer died, and that values and sums may not agree: all values become 0.
//
// Threads: different blocks may be read and written at once. Memory: 4 bytes a block.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "common/files.h"
#include "storage/layout/edges/edge_layout.h"

namespace outcore {

class EdgeValues {
 public:
  // `direct`: around the page cache, for which buffers must lie at multiples of 4096. Throws usage
  // errors for layouts without values and for values that another process writes.
  explicit EdgeValues(const EdgeLayout& layout, bool direct = false);
  // Leaves values.open behind unless close() came before.
  ~EdgeValues() = default;
  EdgeValues(const EdgeValues&) = delete;
  EdgeValues& operator=(const EdgeValues&) = delete;

  [[nodiscard]] std::uint32_t value_bytes() const { return value_bytes_; }
  // Where the values of a cell lie, in the order of its edges.
  [[nodiscard]] BlockId first_block(const EdgeCell& cell) const {
    return cell.first_block * (value_bytes_ / sizeof(VertexId));
  }
  [[nodiscard]] std::uint64_t blocks(const EdgeCell& cell) const {
    return (cell.edges * value_bytes_ + block_bytes_ - 1) / block_bytes_;
  }

  // Whole blocks from `first` on. Reading checks them against their sums: Error (io) with file,
  // offset, found and expected sum.
  void read(BlockId first, std::span<std::byte> into);
  void write(BlockId first, std::span<const std::byte> from);
  // Writes the sums; nothing may be written afterwards.
  void close();

  [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  std::filesystem::path folder_;
  std::uint32_t value_bytes_;
  std::uint32_t block_bytes_;
  File file_;
  std::vector<std::uint32_t> sums_;
  std::atomic<std::uint64_t> read_bytes_ = 0;
  std::atomic<std::uint64_t> written_bytes_ = 0;
};

// values.blocks of so many blocks of zeros, and values.sums; adds both to the table `files`.
void create_edge_values(const std::filesystem::path& folder, std::uint64_t blocks,
                        std::uint32_t block_bytes, nlohmann::json& files);
// Throws bad_input that names the first block that is not what was written last.
void check_edge_values(const EdgeLayout& layout);

}  // namespace outcore
