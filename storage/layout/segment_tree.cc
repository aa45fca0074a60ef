// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/segment_tree.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace outcore {

SegmentTree::SegmentTree(std::uint64_t blocks, std::uint32_t free)
    : leaves_(std::bit_ceil(std::max<std::uint64_t>(blocks, 1))), most_(2 * leaves_, free) {}

BlockId SegmentTree::first_with(std::uint32_t need) const {
  assert(most_[1] >= need);
  std::uint64_t node = 1;
  while (node < leaves_) {
    node *= 2;
    if (most_[node] < need) ++node;
  }
  return node - leaves_;
}

std::optional<BlockId> SegmentTree::last_with(BlockId last, std::uint32_t need) const {
  std::uint64_t node = leaves_ + last;
  // Up, until a subtree to the left has room.
  while (most_[node] < need) {
    while (node % 2 == 0) node /= 2;  // a left child has nothing to its left; the root ends at 1
    if (node == 1) return std::nullopt;
    --node;
  }
  while (node < leaves_) {
    node = 2 * node + 1;
    if (most_[node] < need) --node;
  }
  return node - leaves_;
}

void SegmentTree::take(BlockId block, std::uint32_t slots) {
  assert(free(block) >= slots);
  set(block, free(block) - slots);
}

void SegmentTree::set(BlockId block, std::uint32_t free) {
  std::uint64_t node = leaves_ + block;
  most_[node] = free;
  while (node > 1) {
    node /= 2;
    const std::uint32_t most = std::max(most_[2 * node], most_[2 * node + 1]);
    if (most_[node] == most) return;  // nothing changes above
    most_[node] = most;
  }
}

}  // namespace outcore
