// SPDX-License-Identifier: Apache-2.0
// The two forms of CAVE's round (section 4.2, Algorithm 1).
#pragma once

#include <memory>
#include <span>

#include "common/executor.h"
#include "engines/lists/block_queue.h"
#include "engines/lists/hand_over.h"
#include "storage/io/merge.h"
#include "storage/source/block_source.h"

namespace outcore {

// The round, its workers, and each one's hands and source.
struct RoundWorkers {
  Round& round;
  Executor& executor;
  std::span<HandOver> hands;
  std::span<const std::unique_ptr<BlockSource>> sources;
};

// Every wanted block once: neighbours are merged into requests, every worker keeps its share of k_r
// in flight, and hands over the lists of all wanted vertices of a block that it has read.
void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes);

// Vertex by vertex: what is in flight is lists, not blocks. A worker reads each of its lists from
// the first block to the last, a request at a time. A block with the lists of several vertices is
// asked for by each of them, and read anew when the cache has lost it meanwhile. REQUIRES: the
// lists lie in blocks.
void process_queue(const RoundWorkers& workers, std::span<const VertexId> vertices);

}  // namespace outcore
