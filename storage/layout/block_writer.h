// SPDX-License-Identifier: Apache-2.0
// Writes <prefix>.blocks and <prefix>.sums of a layout front to back: lists must come by ascending
// position; slots between them stay free. Memory: a window of kWindowBytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/parts.h"

namespace outcore {

class BlockWriter {
 public:
  static constexpr std::size_t kWindowBytes = std::size_t{4} << 20;

  BlockWriter(const std::filesystem::path& folder, const std::string& prefix,
              const CodecPart& codec, std::uint32_t slots_per_block);

  void put(std::uint64_t position, std::span<const VertexId> list);
  // Fills up to `blocks`, and adds the two files to the table `files`.
  void finish(std::uint64_t blocks, nlohmann::json& files);
  [[nodiscard]] std::uint32_t most_lists_in_a_block() const { return most_lists_; }

 private:
  void advance_to(BlockId block);
  void flush();

  std::string prefix_;
  const CodecPart& codec_;
  std::uint32_t slots_per_block_;
  HashedFile blocks_;
  HashedFile sums_;
  std::vector<std::uint32_t> window_;  // whole blocks, from block window_begin_
  std::uint64_t window_blocks_;
  BlockId window_begin_ = 0;
  BlockId block_ = 0;        // that the last piece went to
  std::uint32_t lists_ = 0;  // begun or gone on in it
  std::uint32_t most_lists_ = 0;
};

}  // namespace outcore
