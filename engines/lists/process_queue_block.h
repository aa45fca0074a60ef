// SPDX-License-Identifier: Apache-2.0
// Reads every wanted block of a round once, in requests of neighbouring blocks (CAVE, section 4.2,
// ProcessQueueBlock). `concurrent` does this in each round, `sync_subgraph` in its selected ones,
// and `evolving` with the blocks of several files at once.
#pragma once

#include <memory>
#include <span>

#include "common/executor.h"
#include "engines/lists/block_queue.h"
#include "engines/lists/block_reader.h"
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

// Every worker keeps its share of k_r in flight, and calls hand_over(worker, run, data) for each
// request that has come; it returns the bytes of the request's holes.
template <typename F>
void read_requests(const RoundWorkers& workers, Requests& requests, const F& hand_over) {
  const auto work = [&](unsigned worker) {
    const auto hand_run = [&hand_over, worker](std::size_t run, const std::byte* data) {
      return hand_over(worker, run, data);
    };
    BlockReader(workers.round, workers.executor, requests, worker, hand_run,
                *workers.sources[worker])
        .work();
  };
  if (requests.size() <= Requests::kRunsInATurn) {
    work(0);  // waking the others would cost more than it brings
  } else {
    workers.executor.run(work);
  }
}

// Merges neighbours into requests, and hands over the lists of all vertices that want something
// from a block that was read.
void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes);

}  // namespace outcore
