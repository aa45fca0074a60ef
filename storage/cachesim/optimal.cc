// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/optimal.h"

namespace outcore {

void OptimalMisses::replay(const AccessChunk& chunk) {
  if (chunk.renumbering) renumber(*chunk.renumbering);
  Position now = chunk.first;
  for (const Position previous : chunk.previous) {
    if (previous == kNever) {
      ++misses_;
    } else if (previous + 1 != now) {  // else no other unit was asked for in between
      if (take_machine(previous)) {
        return_machine(now - 1);
      } else {
        ++misses_;
      }
    }
    ++now;
  }
}

void OptimalMisses::renumber(const Renumbering& renumbering) {
  PositionSet renumbered(renumbering.next_window());
  std::vector<Position> several(renumbering.kept(), 0);
  idle_.for_each([&](std::size_t position) {
    const Position moved = renumbering(static_cast<Position>(position));
    several[moved] += position < several_.size() ? several_[position] : 1;
    renumbered.insert(moved);
  });
  idle_ = std::move(renumbered);
  several_ = std::move(several);
}

// Takes the machine that became idle last, but not after `idle_since`. False if there is none.
bool OptimalMisses::take_machine(Position idle_since) {
  const std::size_t found = idle_.at_most(idle_since);
  if (found == PositionSet::kNone) {
    if (untouched_ == 0) return false;
    --untouched_;
    return true;
  }
  if (found >= several_.size() || --several_[found] == 0) idle_.erase(found);
  return true;
}

void OptimalMisses::return_machine(Position idle_since) {
  if (idle_since < several_.size()) ++several_[idle_since];
  idle_.insert(idle_since);
}

}  // namespace outcore
