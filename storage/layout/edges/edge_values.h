// SPDX-License-Identifier: Apache-2.0
// The values on the edges of a layout that has them (edge_layout.h): a writable file for a Door,
// through which they are read and written in place by whole blocks, with a checksum of each block.
//
// There is one writer at a time: it holds a lock on the file while it lives. The Door keeps the
// sums in step with what is written; close() writes them beside the values. Until then values.open
// stands in the folder. A process that finds it there, with no lock held, knows that a writer died,
// and that values and sums may not agree: all values become 0.
//
// That holds when a process is killed; after a power cut values and sums may disagree, which
// reading them finds. Memory: 4 bytes a block, in the Door.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/files.h"
#include "storage/io/door.h"
#include "storage/layout/edges/edge_layout.h"

namespace outcore {

class EdgeValues {
 public:
  // Throws usage errors for layouts without values and for values that another process writes.
  explicit EdgeValues(const EdgeLayout& layout);
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

  // The file, with the sums of what stands in it, for the one Door through which it is written.
  // REQUIRES: called once.
  [[nodiscard]] BlockFile take_file();
  // Writes the sums that `door` has of its file number `file`, which is this one. REQUIRES: every
  // write was reaped; nothing is written afterwards. Over a backend without contents it does
  // nothing: no value was kept.
  void close(const Door& door, std::uint32_t file);

 private:
  std::filesystem::path folder_;
  std::uint32_t value_bytes_;
  std::uint32_t block_bytes_;
  File lock_;
  std::vector<std::uint32_t> sums_;  // until the file is taken
};

// values.blocks of so many blocks of zeros, and values.sums; adds both to the table `files`.
void create_edge_values(const std::filesystem::path& folder, std::uint64_t blocks,
                        std::uint32_t block_bytes, nlohmann::json& files);
// Throws bad_input that names the first block that is not what was written last.
void check_edge_values(const EdgeLayout& layout);

}  // namespace outcore
