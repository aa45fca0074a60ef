// SPDX-License-Identifier: Apache-2.0
// Reads every wanted block of a round once, in requests of neighbouring blocks (CAVE, section 4.2,
// ProcessQueueBlock). `concurrent` does this in each round, and `sync_subgraph` in its selected
// ones.
#pragma once

#include <memory>
#include <span>

#include "common/executor.h"
#include "engines/lists/block_queue.h"
#include "engines/lists/hand_over.h"
#include "storage/io/merge.h"
#include "storage/source/block_source.h"
#include "storage/source/kept_blocks.h"

namespace outcore {

// The round, its workers, and each one's hands and source.
struct RoundWorkers {
  Round& round;
  Executor& executor;
  std::span<HandOver> hands;
  std::span<const std::unique_ptr<BlockSource>> sources;
  const KeptBlocks* kept = nullptr;  // are in memory already, and not asked for; null: none
};

// Merges neighbours into requests; every worker keeps its share of k_r in flight, and hands over
// the lists of all vertices that want something from a block that it has read.
void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes);

}  // namespace outcore
