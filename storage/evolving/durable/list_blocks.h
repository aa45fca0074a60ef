// SPDX-License-Identifier: Apache-2.0
// The blocks of one direction of a run, and their checksums (run.h has the format): lists are
// written one behind the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "common/ids.h"
#include "storage/evolving/durable/disk_stream.h"
#include "storage/evolving/durable/run.h"
#include "storage/evolving/durable/run_files.h"
#include "storage/layout/pieces.h"

namespace outcore::evolving {

// Where a list is. Positions count slots over all blocks.
struct ListPlace {
  std::uint64_t position = 0;
  std::uint64_t slots = 0;  // to the end of its last piece
  bool coded = false;
};

class ListBlocksWriter {
 public:
  ListBlocksWriter(Disk& disk, const Run& run, const std::string& prefix);

  // REQUIRES: the ids ascend, may repeat, and are not none.
  ListPlace put(std::span<const VertexId> ids);
  // Writes the last block. Nothing is put any more.
  void end();
  // Syncs the files and adds them to `files`; returns their bytes. REQUIRES: end() has returned.
  std::uint64_t finish(nlohmann::json& files);

  [[nodiscard]] std::uint64_t blocks() const { return blocks_.bytes() / kRunBlockBytes; }
  // Lists that begin or continue in one block, at most.
  [[nodiscard]] std::uint32_t most_in_a_block() const { return most_in_a_block_; }

 private:
  [[nodiscard]] std::uint32_t room() const { return kRunBlockBytes - used_; }
  [[nodiscard]] std::uint64_t position() const {
    return blocks() * (kRunBlockBytes / slot_bytes_) + used_ / slot_bytes_;
  }
  // Is the list written in the codec?
  [[nodiscard]] bool codes(std::span<const VertexId> ids) const;
  void put_coded(std::span<const VertexId> ids);
  template <unsigned kIdBytes>
  void put_plain(std::span<const VertexId> ids);
  void end_block();

  const std::string prefix_;
  const bool is_layout_;
  const unsigned id_bytes_;
  const unsigned slot_bytes_;
  const PieceFormat format_;
  DiskWriter blocks_;
  DiskWriter sums_;
  std::array<std::byte, kRunBlockBytes> block_;
  std::uint32_t used_ = 0;  // bytes of the block
  std::uint32_t in_block_ = 0;
  std::uint32_t most_in_a_block_ = 0;
};

}  // namespace outcore::evolving
