// SPDX-License-Identifier: Apache-2.0
// Edge blocks as CAVE and ACGraph lay them out: a list of up to a block lies in one block, first
// fit; a longer one in consecutive blocks of its own. A "device" that holds them counts its reads.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "tests/prototypes/toys.h"

namespace outcore::toys {

class EdgeBlocks {
 public:
  // Where the part of a list lies that begins at its `first`-th edge.
  struct Part {
    BlockId block = 0;
    std::uint32_t slot = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  // Lists of fewer than `shortest` edges get no place.
  EdgeBlocks(const Lists& lists, std::uint32_t block_size, std::uint32_t shortest = 1)
      : block_size_(block_size), parts_(lists.size()) {
    for (VertexId v = 0; v < lists.size(); ++v) {
      const std::span<const VertexId> list = lists[v];
      if (list.size() >= shortest) place(v, list);
    }
  }

  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  [[nodiscard]] const std::vector<Part>& parts(VertexId v) const { return parts_[v]; }

  // Safe from any thread.
  [[nodiscard]] std::vector<VertexId> read(BlockId block) {
    const std::lock_guard lock(mutex_);
    reads_.push_back(block);
    return blocks_[block];
  }
  // Block numbers in the order in which they were read since the last call.
  [[nodiscard]] std::vector<BlockId> take_reads() {
    const std::lock_guard lock(mutex_);
    return std::exchange(reads_, {});
  }

 private:
  void place(VertexId v, std::span<const VertexId> list) {
    for (std::uint32_t first = 0; first < list.size(); first += block_size_) {
      const auto count = std::min(block_size_, static_cast<std::uint32_t>(list.size()) - first);
      const BlockId block = list.size() > block_size_ ? blocks_.size() : first_fit(count);
      if (block == blocks_.size()) {
        blocks_.emplace_back();
        open_.push_back(list.size() <= block_size_);
      }
      parts_[v].push_back({block, static_cast<std::uint32_t>(blocks_[block].size()), first, count});
      const auto part = list.subspan(first, count);
      blocks_[block].insert(blocks_[block].end(), part.begin(), part.end());
    }
  }
  [[nodiscard]] BlockId first_fit(std::uint32_t count) const {
    BlockId block = 0;
    while (block < blocks_.size() &&
           !(open_[block] && blocks_[block].size() + count <= block_size_))
      ++block;
    return block;
  }

  std::uint32_t block_size_;
  std::vector<std::vector<Part>> parts_;
  std::vector<std::vector<VertexId>> blocks_;
  std::vector<bool> open_;  // to further lists
  std::mutex mutex_;
  std::vector<BlockId> reads_;
};

}  // namespace outcore::toys
