// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/turns.h"

#include <algorithm>

#include "common/stopwatch.h"

namespace outcore {

void TurnQueue::add(std::span<const Turn> turns, std::size_t first_part) {
  for (Turn turn : turns) {
    turn.first_part += first_part;
    turns_.push_back(turn);
  }
}

std::size_t TurnQueue::first_needed(const Turn& turn) const {
  if (turn.shard.blocks() == 0) return turn.first_part;
  const Shards& shards = *turn.shards;
  const BlockId first = shards.position(turn.vertices.begin) / shards.block_bytes();
  return turn.first_part + (first - turn.shard.first) / part_blocks_;
}

const Turn* TurnQueue::take(unsigned worker) {
  const std::lock_guard lock(mutex_);
  const Turn* turn = next_ < turns_.size() ? &turns_[next_++] : nullptr;
  reached_[worker] = turn == nullptr ? end_part_ : first_needed(*turn);
  release();
  return turn;
}

void TurnQueue::reach(unsigned worker, std::size_t part) {
  const std::lock_guard lock(mutex_);
  reached_[worker] = part;
  release();
}

void TurnQueue::release() {
  std::size_t needed = next_ < turns_.size() ? first_needed(turns_[next_]) : end_part_;
  for (const std::size_t part : reached_) needed = std::min(needed, part);
  loader_.release(needed);
}

const std::byte* TurnReader::block(BlockId block) {
  const std::uint64_t within = block - turn_.shard.first;
  const std::size_t part = turn_.first_part + within / queue_.part_blocks();
  if (part != part_) {
    part_ = part;
    queue_.reach(worker_, part);
    const Stopwatch watch;
    data_ = queue_.loader().wait(part);
    waited_ += watch.seconds();
  }
  if (data_ == nullptr) return nullptr;
  return data_ + within % queue_.part_blocks() * turn_.shards->block_bytes();
}

}  // namespace outcore
