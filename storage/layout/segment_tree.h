// SPDX-License-Identifier: Apache-2.0
// Free slots of a row of blocks. Finds "the first block with room for k" and "the last one up to
// block b" in logarithmic time: a segment tree whose nodes hold the largest number of free slots of
// any block below them.
//
// If all blocks start empty, making the row longer than what will be used represents "open a new
// block". Memory: 8 bytes per block, up to the next power of two. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.h"

namespace outcore {

class SegmentTree {
 public:
  // Each block has `free` slots.
  SegmentTree(std::uint64_t blocks, std::uint32_t free);

  // The lowest block with at least `need` free slots. REQUIRES: there is one.
  [[nodiscard]] BlockId first_with(std::uint32_t need) const;
  // The highest block, but not above `last`, with at least `need` free slots.
  [[nodiscard]] std::optional<BlockId> last_with(BlockId last, std::uint32_t need) const;
  [[nodiscard]] std::uint32_t free(BlockId block) const { return most_[leaves_ + block]; }
  void take(BlockId block, std::uint32_t slots);
  void set(BlockId block, std::uint32_t free);

 private:
  std::uint64_t leaves_;
  std::vector<std::uint32_t> most_;  // node 1 is the root, node i's children are 2i and 2i + 1
};

}  // namespace outcore
