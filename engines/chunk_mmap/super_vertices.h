// SPDX-License-Identifier: Apache-2.0
// The lists of super vertices (ChunkGraph, section 3.2): those too long for the largest chunk. Each
// is read once, past the page cache, when a round first wants it, into huge pages where it stays.
//
// Threads: any may ask; lists are read one at a time.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "common/numa.h"
#include "engines/engine.h"
#include "storage/layout/layout.h"

namespace outcore {

class SuperVertices {
 public:
  // The region of super lists of one direction of a layout of pack `chunks`. `most_bytes`: what the
  // region may take in memory; if it takes more, or there is none, nothing is held.
  SuperVertices(const Layout& layout, Direction direction, std::uint64_t most_bytes,
                const EngineOptions& options);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool holds(BlockId block) const { return block >= first_ && block < end_; }
  // The blocks [first, last] of one list are in memory when it returns.
  void have(BlockId first, BlockId last);
  // REQUIRES: have() of the block.
  [[nodiscard]] const std::byte* data(BlockId block) const {
    return memory_.get() + (block - first_) * block_bytes_;
  }
  [[nodiscard]] IoCounters io() const;

 private:
  std::uint32_t file_;
  std::uint32_t block_bytes_;
  BlockId first_ = 0;
  BlockId end_ = 0;
  std::uint64_t bytes_ = 0;
  numa::Memory memory_;
  std::unique_ptr<Door> door_;
  std::mutex mutex_;         // over what follows, and the reading
  std::vector<bool> there_;  // by block of the region
};

}  // namespace outcore
