// SPDX-License-Identifier: Apache-2.0
// The requests of a round: runs of neighbouring wanted blocks, which workers take a few at a time,
// and what is done with each once it has come.
//
// Threads: take() from any; the rest does not change once it is built.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "engines/lists/block_queue.h"
#include "engines/lists/hand_over.h"
#include "storage/io/merge.h"
#include "storage/source/kept_blocks.h"

namespace outcore {

class Requests {
 public:
  // In which order workers take the runs. From both ends in turn: where lists are sorted by length,
  // the first blocks are the device's work and the last ones the processor's, and neither should
  // wait for the other.
  enum class Order : bool { ascending, from_both_ends };
  static constexpr std::size_t kRunsInATurn = 4;  // runs that a worker takes at once

  // `kept`: blocks that are in memory already, in runs of their own; null: none. All outlive it.
  Requests(const Round& round, const BlockQueue& queue, const MergeLimits& limits,
           HoleBudget& holes, Order order, const KeptBlocks* kept = nullptr);

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] std::span<const BlockRun> runs() const { return runs_; }
  [[nodiscard]] const BlockRun& run(std::size_t i) const { return runs_[i]; }
  // Where the run lies in memory already; null for one that is to be read.
  [[nodiscard]] const std::byte* kept(std::size_t i) const {
    return i < kept_.size() ? kept_[i] : nullptr;
  }
  // The next few, [begin, end), for one worker; none at the end.
  std::pair<std::size_t, std::size_t> take();

  // Pull: is any vertex of the run still to be told something? Those whose lists lie in several
  // blocks may have heard enough from the first.
  [[nodiscard]] bool anybody_listens(std::size_t run) const;
  // To the trace; blocks of holes are not wanted.
  void note(unsigned worker, std::size_t run) const;
  // The lists of the run's wanted blocks, which lie at `data`; returns the bytes of its holes.
  std::uint64_t hand_over(std::size_t run, const std::byte* data, HandOver& hands) const;

 private:
  void leave_out_kept(const MergeLimits& limits, HoleBudget& holes, const KeptBlocks& kept);

  const Round& round_;
  const BlockQueue& queue_;
  Order order_;
  std::vector<BlockRun> runs_;
  std::vector<const std::byte*> kept_;  // by run; none where nothing is kept
  // A run's wanted blocks are those of the queue from first_queued_[i] to first_queued_[i + 1]:
  // with holes not all of its blocks.
  std::vector<std::size_t> first_queued_;
  std::atomic<std::size_t> next_turn_{0};
};

}  // namespace outcore
