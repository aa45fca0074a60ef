// SPDX-License-Identifier: Apache-2.0
// Merging of neighbouring requests: from the sorted blocks that a round needs to runs of blocks,
// each one request.
//
// A device is bound by requests until it is bound by bytes (docs/architecture.md, "What the disk
// taught us"), so a run may also span a hole of blocks that nobody needs, when reading them costs
// less than another request: max_hole = 0 merges only true neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"

namespace outcore {

struct BlockRun {
  BlockId first = 0;
  std::uint32_t blocks = 0;
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

struct MergeLimits {
  std::uint32_t max_blocks = 1;  // longest run
  std::uint32_t max_hole = 0;    // unneeded blocks that may be read to join two runs
};

// `sorted` must be strictly increasing. No run starts or ends with an unneeded block.
std::vector<BlockRun> merge_blocks(std::span<const BlockId> sorted, const MergeLimits& limits);

}  // namespace outcore
