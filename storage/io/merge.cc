// SPDX-License-Identifier: Apache-2.0
#include "storage/io/merge.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "common/error.h"

namespace outcore {

std::uint32_t RequestCost::hole_blocks(std::uint32_t block_bytes) const {
  constexpr double kMost = 1024;  // with bytes that cost nothing, the whole file would be joined
  if (us <= 0) return 0;
  const double block_us = us_per_kb * block_bytes / 1024;
  return static_cast<std::uint32_t>(std::floor(std::min(kMost, us / block_us)));
}

RequestCost parse_request_cost(const std::string& text, const std::string& option) {
  if (text == "off") return {};
  char* plus = nullptr;
  char* end = nullptr;
  RequestCost cost;
  cost.us = std::strtod(text.c_str(), &plus);
  if (plus != text.c_str() && *plus == '+') cost.us_per_kb = std::strtod(plus + 1, &end);
  const bool read = end != nullptr && end != plus + 1 && *end == '\0';
  if (!read || !std::isfinite(cost.us) || !std::isfinite(cost.us_per_kb) || cost.us <= 0 ||
      cost.us_per_kb <= 0) {
    throw usage_error(
        fmt::format("{} {}: expected off, on, or the cost of a request as microseconds + "
                    "microseconds per KB: {}+{}",
                    option, text, kMeasuredCost.us, kMeasuredCost.us_per_kb));
  }
  return cost;
}

std::vector<BlockRun> merge_neighbours(std::span<const BlockId> sorted, std::uint32_t max_blocks) {
  HoleBudget budget;
  return merge_blocks(sorted, {.max_blocks = max_blocks}, budget);
}

std::vector<BlockRun> merge_blocks(std::span<const BlockId> sorted, const MergeLimits& limits,
                                   HoleBudget& budget) {
  std::vector<BlockRun> runs;
  for (const BlockId block : sorted) {
    budget.need(1);
    if (!runs.empty()) {
      BlockRun& run = runs.back();
      const BlockId hole = block - (run.first + run.blocks);
      if (hole <= std::min<std::uint64_t>(limits.max_hole, budget.left()) &&
          block + 1 - run.first <= limits.max_blocks) {
        budget.spend(hole);
        run.blocks = static_cast<std::uint32_t>(block + 1 - run.first);
        continue;
      }
    }
    runs.push_back({block, 1});
  }
  return runs;
}

}  // namespace outcore
