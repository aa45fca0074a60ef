// SPDX-License-Identifier: Apache-2.0
// Frames that hold only what is in flight, or has come and is not processed yet: each worker's
// share, and the source over it by which the worker asks for blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/lists/frame_sizes.h"
#include "storage/cache/frame_pool.h"
#include "storage/source/block_source.h"

namespace outcore {

class WorkerFrames {
 public:
  // `depths`: how many requests each worker may have in flight. The door outlives this.
  WorkerFrames(Door& door, const FrameSizes& sizes, std::span<const unsigned> depths)
      : slot_(sizes.slot), pool_(sizes.pool, sizes.slot, static_cast<unsigned>(depths.size())) {
    for (unsigned worker = 0; worker < depths.size(); ++worker) {
      sources_.push_back(frame_source(door, pool_.arena(worker), depths[worker]));
    }
  }

  [[nodiscard]] std::span<const std::unique_ptr<BlockSource>> sources() const { return sources_; }
  [[nodiscard]] std::uint64_t bytes() const { return pool_.bytes(); }
  [[nodiscard]] std::uint64_t slot_bytes() const { return slot_; }

 private:
  std::uint64_t slot_;
  FramePool pool_;
  std::vector<std::unique_ptr<BlockSource>> sources_;  // one a worker
};

}  // namespace outcore
