// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/requests.h"

namespace outcore {

Requests::Requests(const Round& round, const BlockQueue& queue, const MergeLimits& limits,
                   HoleBudget& holes, Order order, const KeptBlocks* kept)
    : round_(round), queue_(queue), order_(order) {
  if (kept == nullptr || kept->empty()) {
    runs_ = merge_blocks(queue.blocks(), limits, holes);
  } else {
    leave_out_kept(limits, holes, *kept);
  }
  first_queued_.reserve(runs_.size() + 1);
  std::size_t queued = 0;
  for (const BlockRun& run : runs_) {
    first_queued_.push_back(queued);
    const BlockId end = run.first + run.blocks;
    while (queued < queue.blocks().size() && queue.blocks()[queued] < end) ++queued;
  }
  first_queued_.push_back(queued);
}

// Requests of the blocks that are not kept, between runs of those that are.
void Requests::leave_out_kept(const MergeLimits& limits, HoleBudget& holes,
                              const KeptBlocks& kept) {
  const std::span<const BlockId> blocks = queue_.blocks();
  const std::uint32_t file = round_.lists.file;
  for (std::size_t at = 0; at < blocks.size();) {
    std::size_t end = at + 1;
    const KeptBlocks::Found found = kept.find(file, blocks[at]);
    if (found.data == nullptr) {
      while (end < blocks.size() && kept.find(file, blocks[end]).data == nullptr) ++end;
      const auto runs = merge_blocks(blocks.subspan(at, end - at), limits, holes);
      runs_.insert(runs_.end(), runs.begin(), runs.end());
    } else {
      while (end < blocks.size() && blocks[end] < found.end) ++end;
      const BlockId blocks_of_it = blocks[end - 1] + 1 - blocks[at];
      runs_.push_back({blocks[at], static_cast<std::uint32_t>(blocks_of_it)});
    }
    kept_.resize(runs_.size(), nullptr);
    if (found.data != nullptr) kept_.back() = found.data;
    at = end;
  }
}

std::pair<std::size_t, std::size_t> Requests::take() {
  // Relaxed: hands out disjoint runs; the runs themselves were published by the executor.
  const std::size_t turn = next_turn_.fetch_add(1, std::memory_order_relaxed);
  const std::size_t turns = (size() + kRunsInATurn - 1) / kRunsInATurn;
  if (turn >= turns) return {0, 0};
  const bool from_the_end = order_ == Order::from_both_ends && turn % 2 == 1;
  const std::size_t place = order_ == Order::ascending ? turn
                            : from_the_end             ? turns - 1 - turn / 2
                                                       : turn / 2;
  return {place * kRunsInATurn, std::min((place + 1) * kRunsInATurn, size())};
}

bool Requests::anybody_listens(std::size_t run) const {
  for (std::size_t i = first_queued_[run]; i < first_queued_[run + 1]; ++i) {
    for (const VertexId v : queue_.vertices(i)) {
      if (round_.program.listens(v)) return true;
    }
  }
  return false;
}

void Requests::note(unsigned worker, std::size_t run) const {
  if (round_.lists.trace == nullptr) return;
  const std::size_t begin = first_queued_[run];
  const std::span<const BlockId> wanted =
      queue_.blocks().subspan(begin, first_queued_[run + 1] - begin);
  for (const BlockRun& part : merge_neighbours(wanted, runs_[run].blocks)) {
    round_.lists.note(worker, part);
  }
}

std::uint64_t Requests::hand_over(std::size_t run, const std::byte* data, HandOver& hands) const {
  const std::size_t begin = first_queued_[run];
  const std::size_t end = first_queued_[run + 1];
  for (std::size_t queued = begin; queued < end; ++queued) {
    const BlockId block = queue_.blocks()[queued];
    const std::size_t within = block - runs_[run].first;
    hands.add(queue_.vertices(queued), block, data + within * round_.lists.block_bytes());
    hands.flush();
  }
  return (runs_[run].blocks - (end - begin)) * round_.lists.block_bytes();
}

}  // namespace outcore
