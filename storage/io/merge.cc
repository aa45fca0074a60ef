// SPDX-License-Identifier: Apache-2.0
#include "storage/io/merge.h"

namespace outcore {

std::vector<BlockRun> merge_blocks(std::span<const BlockId> sorted, const MergeLimits& limits) {
  std::vector<BlockRun> runs;
  for (const BlockId block : sorted) {
    if (!runs.empty()) {
      BlockRun& run = runs.back();
      const BlockId end = run.first + run.blocks;
      if (block - end <= limits.max_hole && block + 1 - run.first <= limits.max_blocks) {
        run.blocks = static_cast<std::uint32_t>(block + 1 - run.first);
        continue;
      }
    }
    runs.push_back({block, 1});
  }
  return runs;
}

}  // namespace outcore
