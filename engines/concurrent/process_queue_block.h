// SPDX-License-Identifier: Apache-2.0
// CAVE's ProcessQueueBlock (section 4.2, Algorithm 1): every wanted block once. Neighbours are
// merged into requests, every worker keeps its share of k_r in flight, and hands over the lists of
// all wanted vertices of a block that it has read.
#pragma once

#include "engines/concurrent/round_workers.h"
#include "engines/lists/block_queue.h"
#include "storage/io/merge.h"

namespace outcore {

void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes);

}  // namespace outcore
