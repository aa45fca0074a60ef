// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/process_queue_block.h"

#include "engines/lists/block_reader.h"

namespace outcore {

void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes) {
  Requests requests(workers.round, queue, limits, holes, Requests::Order::from_both_ends,
                    workers.kept);
  const auto work = [&](unsigned worker) {
    const auto hand_over = [&requests, &hands = workers.hands[worker]](std::size_t run,
                                                                       const std::byte* data) {
      return requests.hand_over(run, data, hands);
    };
    BlockReader(workers.round, workers.executor, requests, worker, hand_over,
                *workers.sources[worker])
        .work();
  };
  if (requests.size() <= Requests::kRunsInATurn) {
    work(0);  // waking the others would cost more than it brings
  } else {
    workers.executor.run(work);
  }
}

}  // namespace outcore
