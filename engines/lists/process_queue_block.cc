// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/process_queue_block.h"

#include <atomic>
#include <tuple>

namespace outcore {

namespace {

constexpr std::size_t kRunsInATurn = 4;  // runs that a worker takes from the queue at once
// A worker asks again when one in so many of its requests has come, and not for each: they go to
// the device together.
constexpr std::size_t kRefillShare = 4;

// The requests of a round, which workers take in turns.
class Requests {
 public:
  Requests(const BlockQueue& queue, const MergeLimits& limits, HoleBudget& holes)
      : runs_(merge_blocks(queue.blocks(), limits, holes)) {
    first_queued_.reserve(runs_.size() + 1);
    std::size_t queued = 0;
    for (const BlockRun& run : runs_) {
      first_queued_.push_back(queued);
      const BlockId end = run.first + run.blocks;
      while (queued < queue.blocks().size() && queue.blocks()[queued] < end) ++queued;
    }
    first_queued_.push_back(queued);
  }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] const BlockRun& run(std::size_t i) const { return runs_[i]; }
  // Its wanted blocks are those of the queue from first_queued(i) to first_queued(i + 1): with
  // holes not all of its blocks.
  [[nodiscard]] std::size_t first_queued(std::size_t i) const { return first_queued_[i]; }

  // The next few, [begin, end), for one worker; none at the end. From both ends in turn: where
  // lists are sorted by length, the first blocks are the device's work and the last ones the
  // processor's, and neither should wait for the other.
  std::pair<std::size_t, std::size_t> take() {
    // Relaxed: hands out disjoint runs; the runs themselves were published by the executor.
    const std::size_t turn = next_turn_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t turns = (size() + kRunsInATurn - 1) / kRunsInATurn;
    if (turn >= turns) return {0, 0};
    const std::size_t place = turn % 2 == 0 ? turn / 2 : turns - 1 - turn / 2;
    return {place * kRunsInATurn, std::min((place + 1) * kRunsInATurn, size())};
  }

 private:
  std::vector<BlockRun> runs_;
  std::vector<std::size_t> first_queued_;
  std::atomic<std::size_t> next_turn_{0};
};

// Keeps one worker's share of k_r in flight and hands over each wanted block as it arrives.
class BlockReader {
 public:
  BlockReader(const RoundWorkers& workers, const BlockQueue& queue, Requests& requests,
              unsigned worker)
      : round_(workers.round),
        executor_(workers.executor),
        queue_(queue),
        requests_(requests),
        worker_(worker),
        hands_(workers.hands[worker]),
        source_(*workers.sources[worker]),
        asked_for_(source_.tickets()) {}

  // Looks what has come after each request that it has processed, so that as many are under way
  // while it is busy.
  void work() {
    while (!executor_.stopping()) {
      if (source_.room() * kRefillShare >= source_.depth()) preload();
      if (source_.held() == 0) return;
      for (const BlockSource::Ticket ticket : source_.arrived(there_.empty())) {
        there_.push_back(ticket);
      }
      if (there_.empty()) continue;
      const BlockSource::Ticket ticket = there_.back();
      there_.pop_back();
      process(ticket);
    }
  }

 private:
  void preload() {
    while (source_.room() > 0 && take_run()) {
      const std::size_t run = run_++;
      if (round_.pull && round_.traits.hearing == Hearing::first && !anybody_listens(run)) continue;
      const BlockSource::Ticket ticket = source_.take();
      asked_for_[ticket] = run;
      const bool there = source_.ask(ticket, round_.lists.file, requests_.run(run));
      note(run);
      if (there) process(ticket);
    }
    source_.channel()->flush();
  }

  // Is there a run to read? Leaves it in run_.
  bool take_run() {
    if (run_ == last_run_) std::tie(run_, last_run_) = requests_.take();
    return run_ < last_run_;
  }

  // To the trace, in the order of asking; blocks of holes are not wanted.
  void note(std::size_t run) {
    if (round_.lists.trace == nullptr) return;
    const std::size_t begin = requests_.first_queued(run);
    const std::span<const BlockId> wanted =
        queue_.blocks().subspan(begin, requests_.first_queued(run + 1) - begin);
    for (const BlockRun& part : merge_neighbours(wanted, requests_.run(run).blocks)) {
      round_.lists.note(worker_, part);
    }
  }

  // Pull: is any vertex of the run still to be told something? Those whose lists lie in several
  // blocks may have heard enough from the first.
  [[nodiscard]] bool anybody_listens(std::size_t run) const {
    for (std::size_t i = requests_.first_queued(run); i < requests_.first_queued(run + 1); ++i) {
      for (const VertexId v : queue_.vertices(i)) {
        if (round_.program.listens(v)) return true;
      }
    }
    return false;
  }

  void process(BlockSource::Ticket ticket) {
    const std::size_t number = asked_for_[ticket];
    const BlockRun& run = requests_.run(number);
    const std::size_t block_bytes = round_.lists.block_bytes();
    const std::size_t begin = requests_.first_queued(number);
    const std::size_t end = requests_.first_queued(number + 1);
    for (std::size_t queued = begin; queued < end; ++queued) {
      const BlockId block = queue_.blocks()[queued];
      const std::byte* data = source_.data(ticket) + (block - run.first) * block_bytes;
      for (const VertexId v : queue_.vertices(queued)) hands_.add(v, block, data);
      hands_.flush();
    }
    source_.channel()->holes((run.blocks - (end - begin)) * block_bytes);
    source_.release(ticket);
    source_.give_back(ticket);
  }

  const Round& round_;
  const Executor& executor_;
  const BlockQueue& queue_;
  Requests& requests_;
  unsigned worker_;
  HandOver& hands_;
  BlockSource& source_;
  std::vector<std::size_t> asked_for_;      // which run, by ticket
  std::vector<BlockSource::Ticket> there_;  // come, and not yet processed
  std::size_t run_ = 0;                     // the next run of those taken from the queue
  std::size_t last_run_ = 0;
  const AbandonAtEnd at_end_{source_};
};

}  // namespace

void process_queue_block(const RoundWorkers& workers, const BlockQueue& queue,
                         const MergeLimits& limits, HoleBudget& holes) {
  Requests requests(queue, limits, holes);
  const auto work = [&](unsigned worker) { BlockReader(workers, queue, requests, worker).work(); };
  if (requests.size() <= kRunsInATurn) {
    work(0);  // waking the others would cost more than it brings
  } else {
    workers.executor.run(work);
  }
}

}  // namespace outcore
