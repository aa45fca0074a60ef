// SPDX-License-Identifier: Apache-2.0
// Writes <prefix>.blocks and <prefix>.sums of a layout. The lists are cut into chunks of
// neighbouring blocks. All cores fill chunks, and the chunks are written from front to back, so the
// file does not depend on threads or timing.
//
// Memory: 4 bytes per list and 4 per block to sort lists by block, and for each core a chunk of
// kChunkBytes, or as long as the longest list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "common/ids.h"
#include "storage/layout/parts.h"
#include "storage/layout/stripes.h"

namespace outcore {

struct BlockJob {
  std::filesystem::path folder;
  std::string prefix;  // "out" or "in"
  const NumberedGraph& graph;
  const PieceFormat& format;
  Weights weights;
  std::uint32_t block_bytes;
  std::uint64_t blocks;
  std::span<const std::uint64_t> positions;  // of each list, by layout id
  std::uint64_t inline_edges;                // lists of up to this many edges are in no block
  Disks disks;
  std::string stripes_label;
};

// Adds the two files to the table `files`. Returns the largest number of lists that begin or
// continue in one block.
std::uint32_t write_blocks(const BlockJob& job, nlohmann::json& files);

}  // namespace outcore
