// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/process_queue_block.h"

namespace outcore {

void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes) {
  Requests requests(workers.round, queue, limits, holes, Requests::Order::from_both_ends,
                    workers.kept);
  read_requests(workers, requests, [&](unsigned worker, std::size_t run, const std::byte* data) {
    return requests.hand_over(run, data, workers.hands[worker]);
  });
}

}  // namespace outcore
