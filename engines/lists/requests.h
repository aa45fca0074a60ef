// SPDX-License-Identifier: Apache-2.0
// The requests of a round: runs of neighbouring wanted blocks, which workers take a few at a time,
// and what is done with each once it has come. The blocks may be of several files, side by side:
// then runs are in the order of the first vertex that wants something of them.
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

// The blocks of one file that a round wants.
struct WantedOfFile {
  const BlockQueue* queue;
  std::uint32_t file;
};

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
  // Of several files.
  Requests(const Round& round, std::span<const WantedOfFile> wanted, const MergeLimits& limits,
           HoleBudget& holes, Order order, const KeptBlocks* kept = nullptr);

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] std::vector<BlockRun> runs() const;
  [[nodiscard]] const BlockRun& run(std::size_t i) const { return runs_[i].blocks; }
  // Which of the wanted files the run is of; its number at the door.
  [[nodiscard]] std::uint32_t place(std::size_t i) const { return runs_[i].place; }
  [[nodiscard]] std::uint32_t file(std::size_t i) const { return wanted_[place(i)].file; }
  // Where the run lies in memory already; null for one that is to be read.
  [[nodiscard]] const std::byte* kept(std::size_t i) const { return runs_[i].kept; }
  // The next few, [begin, end), for one worker; none at the end.
  std::pair<std::size_t, std::size_t> take();

  // Pull: is any vertex of the run still to be told something? Those whose lists lie in several
  // blocks may have heard enough from the first.
  [[nodiscard]] bool anybody_listens(std::size_t run) const;
  // To the trace; blocks of holes are not wanted.
  void note(unsigned worker, std::size_t run) const;
  // Calls f(vertices, block, data) for each of the run's wanted blocks, which lie from `data` on;
  // returns the bytes of its holes.
  template <typename F>
  std::uint64_t for_each_block(std::size_t run, const std::byte* data, F&& f) const {
    const Run& of = runs_[run];
    const BlockQueue& queue = *wanted_[of.place].queue;
    for (std::size_t queued = of.begin; queued < of.end; ++queued) {
      const BlockId block = queue.blocks()[queued];
      const std::size_t within = block - of.blocks.first;
      f(queue.vertices(queued), block, data + within * round_.lists.block_bytes());
    }
    return (of.blocks.blocks - (of.end - of.begin)) * round_.lists.block_bytes();
  }
  // The lists of the run's wanted blocks, which lie at `data`; returns the bytes of its holes.
  std::uint64_t hand_over(std::size_t run, const std::byte* data, HandOver& hands) const;

 private:
  struct Run {
    BlockRun blocks;
    std::uint32_t place = 0;
    const std::byte* kept = nullptr;
    // Its wanted blocks are those of the queue from `begin` to `end`: with holes not all of its
    // blocks.
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void add_runs(std::uint32_t place, const MergeLimits& limits, HoleBudget& holes,
                const KeptBlocks* kept);
  void add_neighbours(std::uint32_t place, std::span<const BlockId> blocks,
                      const MergeLimits& limits, HoleBudget& holes);
  void side_by_side();

  const Round& round_;
  std::vector<WantedOfFile> wanted_;
  Order order_;
  std::vector<Run> runs_;
  std::atomic<std::size_t> next_turn_{0};
};

}  // namespace outcore
