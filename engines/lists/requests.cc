// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/requests.h"

#include <algorithm>
#include <array>

namespace outcore {

Requests::Requests(const Round& round, const BlockQueue& queue, const MergeLimits& limits,
                   HoleBudget& holes, Order order, const KeptBlocks* kept)
    : Requests(round, std::array{WantedOfFile{&queue, round.lists.file}}, limits, holes, order,
               kept) {}

Requests::Requests(const Round& round, std::span<const WantedOfFile> wanted,
                   const MergeLimits& limits, HoleBudget& holes, Order order,
                   const KeptBlocks* kept)
    : round_(round), wanted_(wanted.begin(), wanted.end()), order_(order) {
  const bool none_kept = kept == nullptr || kept->empty();
  for (std::uint32_t place = 0; place < wanted_.size(); ++place) {
    const std::size_t first = runs_.size();
    add_runs(place, limits, holes, none_kept ? nullptr : kept);
    const std::span<const BlockId> blocks = wanted_[place].queue->blocks();
    std::size_t queued = 0;
    for (std::size_t i = first; i < runs_.size(); ++i) {
      Run& run = runs_[i];
      run.begin = queued;
      const BlockId end = run.blocks.first + run.blocks.blocks;
      while (queued < blocks.size() && blocks[queued] < end) ++queued;
      run.end = queued;
    }
  }
  if (wanted_.size() > 1) side_by_side();
}

// Requests of the blocks that are not kept, between runs of those that are.
void Requests::add_runs(std::uint32_t place, const MergeLimits& limits, HoleBudget& holes,
                        const KeptBlocks* kept) {
  const std::span<const BlockId> blocks = wanted_[place].queue->blocks();
  if (kept == nullptr) {
    add_neighbours(place, blocks, limits, holes);
    return;
  }
  const std::uint32_t file = wanted_[place].file;
  for (std::size_t at = 0; at < blocks.size();) {
    std::size_t end = at + 1;
    const KeptBlocks::Found found = kept->find(file, blocks[at]);
    if (found.data == nullptr) {
      while (end < blocks.size() && kept->find(file, blocks[end]).data == nullptr) ++end;
      add_neighbours(place, blocks.subspan(at, end - at), limits, holes);
    } else {
      while (end < blocks.size() && blocks[end] < found.end) ++end;
      const auto count = static_cast<std::uint32_t>(blocks[end - 1] + 1 - blocks[at]);
      runs_.push_back({.blocks = {blocks[at], count}, .place = place, .kept = found.data});
    }
    at = end;
  }
}

void Requests::add_neighbours(std::uint32_t place, std::span<const BlockId> blocks,
                              const MergeLimits& limits, HoleBudget& holes) {
  for (const BlockRun& run : merge_blocks(blocks, limits, holes)) {
    runs_.push_back({.blocks = run, .place = place});
  }
}

void Requests::side_by_side() {
  const auto first_vertex = [this](const Run& run) {
    return wanted_[run.place].queue->vertices(run.begin).front();
  };
  std::stable_sort(runs_.begin(), runs_.end(),
                   [&](const Run& a, const Run& b) { return first_vertex(a) < first_vertex(b); });
}

std::vector<BlockRun> Requests::runs() const {
  std::vector<BlockRun> all;
  for (const Run& run : runs_) all.push_back(run.blocks);
  return all;
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
  const Run& of = runs_[run];
  for (std::size_t i = of.begin; i < of.end; ++i) {
    for (const VertexId v : wanted_[of.place].queue->vertices(i)) {
      if (round_.program.listens(v)) return true;
    }
  }
  return false;
}

void Requests::note(unsigned worker, std::size_t run) const {
  if (round_.lists.trace == nullptr) return;
  const Run& of = runs_[run];
  const std::span<const BlockId> wanted =
      wanted_[of.place].queue->blocks().subspan(of.begin, of.end - of.begin);
  for (const BlockRun& part : merge_neighbours(wanted, of.blocks.blocks)) {
    round_.lists.note(worker, part);
  }
}

std::uint64_t Requests::hand_over(std::size_t run, const std::byte* data, HandOver& hands) const {
  return for_each_block(
      run, data, [&](std::span<const VertexId> vertices, BlockId block, const std::byte* at) {
        hands.add(vertices, block, at);
        hands.flush();
      });
}

}  // namespace outcore
