// SPDX-License-Identifier: Apache-2.0
#include "cli/watched_run.h"

#include <algorithm>

namespace outcore {

WatchedRun::WatchedRun(std::uint64_t blocks, std::uint64_t squares)
    : blocks_(blocks),
      per_square_(std::max<std::uint64_t>(1, (blocks + squares - 1) / squares)),
      squares_((blocks + per_square_ - 1) / per_square_),
      processed_(squares_.size()) {
  constexpr auto kUnread = static_cast<std::size_t>(BlockState::unread);
  for (std::uint64_t block = 0; block < blocks; ++block) ++squares_[block / per_square_][kUnread];
}

void WatchedRun::hear(std::span<const Event> events) {
  const std::lock_guard lock(mutex_);
  for (const Event& event : events) apply(event);
}

void WatchedRun::apply(const Event& event) {
  // Values that engines write have files of their own, whose blocks come after the layout's.
  const std::uint64_t first = std::min<std::uint64_t>(event.block, blocks_.size());
  const std::uint64_t end = std::min<std::uint64_t>(first + event.count, blocks_.size());
  switch (event.kind) {
    case EventKind::asked:
      for (std::uint64_t b = first; b < end; ++b) {
        if (blocks_[b].read) ++sums_.again;
        move(b, BlockState::flight);
      }
      break;
    case EventKind::arrived:
      sums_.arrived += event.count;
      for (std::uint64_t b = first; b < end; ++b) {
        move(b, blocks_[b].read ? BlockState::again : BlockState::memory);
        blocks_[b].read = true;
      }
      break;
    case EventKind::dropped:
      for (std::uint64_t b = first; b < end; ++b) move(b, BlockState::gone);
      break;
    case EventKind::processed:
      sums_.edges += event.value;
      for (std::uint64_t b = first; b < end; ++b) process(b);
      break;
    case EventKind::round_began:
      sums_.rounds = std::max<std::uint64_t>(sums_.rounds, event.block + std::uint64_t{1});
      sums_.frontier = event.value;
      frontiers_.push_back(event.value);
      break;
    case EventKind::activated:
      sums_.activations += event.value;
      break;
    case EventKind::sampled:
      sums_.sampled = std::max(sums_.sampled, static_cast<unsigned>(event.value));
      break;
    default:
      break;
  }
}

void WatchedRun::move(std::uint64_t block, BlockState to) {
  auto& counts = squares_[block / per_square_];
  --counts[static_cast<std::size_t>(blocks_[block].state)];
  ++counts[static_cast<std::size_t>(to)];
  blocks_[block].state = to;
}

// A block of a mapped file is processed without having been asked for: it is in memory from then.
void WatchedRun::process(std::uint64_t block) {
  processed_[block / per_square_] = true;
  if (blocks_[block].state == BlockState::unread) move(block, BlockState::memory);
}

RunSoFar WatchedRun::so_far() const {
  const std::lock_guard lock(mutex_);
  return sums_;
}

std::vector<std::uint64_t> WatchedRun::frontiers() const {
  const std::lock_guard lock(mutex_);
  return frontiers_;
}

std::vector<BlockState> WatchedRun::take_squares() {
  const std::lock_guard lock(mutex_);
  std::vector<BlockState> shown;
  for (std::size_t square = 0; square < squares_.size(); ++square) {
    const auto& counts = squares_[square];
    std::size_t state = kBlockStates - 1;
    while (state > 0 && counts[state] == 0) --state;
    shown.push_back(processed_[square] ? BlockState::processed : static_cast<BlockState>(state));
  }
  processed_.assign(squares_.size(), false);
  return shown;
}

}  // namespace outcore
