// SPDX-License-Identifier: Apache-2.0
// Blocks that stay in memory from one round to the next, in the runs in which they were read, so
// that the device need not be asked again.
//
// Threads: any number may look up blocks while none adds any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "storage/io/merge.h"

namespace outcore {

class KeptBlocks {
 public:
  // Adds a run of consecutive blocks at `data`, which must outlive this object. REQUIRES: no run of
  // a file ends before one that begins earlier.
  void add(std::uint32_t file, const BlockRun& run, const std::byte* data,
           std::uint32_t block_bytes) {
    bytes_ += std::uint64_t{run.blocks} * block_bytes;
    Run& known = runs_[{file, run.first}];
    const BlockId end = run.first + run.blocks;
    if (known.end < end) known = {end, data, block_bytes};
  }

  struct Found {
    const std::byte* data = nullptr;  // of the block; null: it is not kept
    BlockId end = 0;                  // blocks before this one follow it in memory
  };
  [[nodiscard]] Found find(std::uint32_t file, BlockId block) const {
    auto at = runs_.upper_bound({file, block});
    if (at == runs_.begin()) return {};
    const auto& [key, run] = *--at;
    if (key.first != file || block >= run.end) return {};
    return {run.data + (block - key.second) * run.block_bytes, run.end};
  }
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Run {
    BlockId end = 0;
    const std::byte* data = nullptr;
    std::uint32_t block_bytes = 0;
  };
  std::map<std::pair<std::uint32_t, BlockId>, Run> runs_;  // by file and first block
  std::uint64_t bytes_ = 0;
};

}  // namespace outcore
