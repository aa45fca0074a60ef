// SPDX-License-Identifier: Apache-2.0
// One worker's part of a round: it keeps its share of k_r in flight and hands over each wanted
// block as it arrives.
#pragma once

#include <functional>
#include <vector>

#include "common/executor.h"
#include "engines/lists/requests.h"
#include "storage/source/block_source.h"

namespace outcore {

class BlockReader {
 public:
  // The lists of a run that lies at `data`; returns the bytes of its holes.
  using HandRun = std::function<std::uint64_t(std::size_t run, const std::byte* data)>;

  // All outlive it.
  BlockReader(const Round& round, const Executor& executor, Requests& requests, unsigned worker,
              HandRun hand_over, BlockSource& source)
      : round_(round),
        executor_(executor),
        requests_(requests),
        worker_(worker),
        hand_over_(std::move(hand_over)),
        source_(source),
        asked_for_(source.tickets()) {}

  // Until no run is left, or another worker has failed. Calls between() after each request that it
  // has processed, when as many others are under way as before.
  template <typename F>
  void work(const F& between) {
    while (!executor_.stopping() && fill()) {
      if (there_.empty()) continue;
      process_one();
      between();
    }
  }
  void work() {
    work([] {});
  }

 private:
  // Keeps requests under way and looks what has come; waits where nothing is there. False when
  // nothing is left.
  bool fill();
  void preload();
  bool take_run();
  void process_one();
  void process(BlockSource::Ticket ticket);

  const Round& round_;
  const Executor& executor_;
  Requests& requests_;
  unsigned worker_;
  const HandRun hand_over_;
  BlockSource& source_;
  std::vector<std::size_t> asked_for_;      // which run, by ticket
  std::vector<BlockSource::Ticket> there_;  // come, and not yet processed
  std::size_t run_ = 0;                     // the next run of those taken from the queue
  std::size_t last_run_ = 0;
  const AbandonAtEnd at_end_{source_};
};

}  // namespace outcore
