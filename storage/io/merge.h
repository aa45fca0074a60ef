// SPDX-License-Identifier: Apache-2.0
// Merges neighbouring requests: turns the sorted blocks that a round needs into runs of blocks, one
// request each.
//
// A device is limited by requests until it is limited by bytes (docs/architecture.md, "What the
// disk taught us"). So a run may also span a hole of unneeded blocks if reading them costs less
// than another request. RequestCost is the cost of a request. Without it only true neighbours are
// merged, as in the papers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"

namespace outcore {

struct BlockRun {
  BlockId first = 0;
  std::uint32_t blocks = 0;
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

// A request of n KB keeps the device busy for us + n x us_per_kb microseconds.
struct RequestCost {
  double us = 0;
  double us_per_kb = 0;
  // The number of unneeded blocks that cost less than the request that they save.
  [[nodiscard]] std::uint32_t hole_blocks(std::uint32_t block_bytes) const;
  friend bool operator==(const RequestCost&, const RequestCost&) = default;
};
// Measured on the virtio SSD of docs/architecture.md with many requests in flight; used for devices
// that were not probed.
inline constexpr RequestCost kMeasuredCost = {.us = 5.5, .us_per_kb = 0.57};
// "off" or "US+US_PER_KB"; throws a usage Error that names `option`.
RequestCost parse_request_cost(const std::string& text, const std::string& option);

struct MergeLimits {
  std::uint32_t max_blocks = 1;  // longest run
  std::uint32_t max_hole = 0;    // unneeded blocks that may be read to join two runs
};

// Limits the unneeded blocks that are read to a share of the needed ones. Not thread-safe.
class HoleBudget {
 public:
  // Without a share there is no limit.
  explicit HoleBudget(std::optional<double> share = {}) : share_(share) {}
  void need(std::uint64_t blocks) { needed_ += blocks; }
  void spend(std::uint64_t blocks) { spent_ += blocks; }
  [[nodiscard]] std::uint64_t left() const {
    if (!share_) return std::numeric_limits<std::uint64_t>::max();
    const auto most = static_cast<std::uint64_t>(*share_ * static_cast<double>(needed_));
    return most - std::min(most, spent_);
  }

 private:
  std::optional<double> share_;
  std::uint64_t needed_ = 0;
  std::uint64_t spent_ = 0;
};

// REQUIRES: `sorted` is strictly increasing. No run starts or ends with an unneeded block. Needed
// and unneeded blocks are counted in the budget.
std::vector<BlockRun> merge_blocks(std::span<const BlockId> sorted, const MergeLimits& limits,
                                   HoleBudget& budget);
// The same without holes.
std::vector<BlockRun> merge_neighbours(std::span<const BlockId> sorted, std::uint32_t max_blocks);

}  // namespace outcore
