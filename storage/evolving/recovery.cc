// SPDX-License-Identifier: Apache-2.0
// Recovery of a store in persistent memory (section III-B). Chains are opened by their roots. The
// updates that the log has and that are not flushed are buffered again, without those that chains
// got meanwhile: buffers that became full were written.
//
// It writes what any buffering phase writes, and nothing counts as flushed before it ends. So a
// loss of power in its middle changes nothing.
#include <algorithm>
#include <atomic>

#include "storage/evolving/store.h"

namespace outcore::evolving {

void Store::recover() {
  const std::lock_guard lock(mutex_);
  recovers_ = true;
  counters_.updates = log_.head();
  chain_->number(log_.flushing());
  vertices_ = options_.image->vertices();
  const auto [first, second] = log_.edges(log_.flushing(), log_.head());
  for (const std::span<const LogEdge> part : {first, second}) {
    if (part.empty()) continue;
    const EdgeFacts facts = facts_by_all_threads(part);
    vertices_ = std::max(vertices_, facts.greatest + 1);
    logged_removals_ += facts.removals;
  }
  std::atomic<bool> removals = false;
  for (unsigned side = 0; side < sides(); ++side) {
    lists_[side].grow(vertices_);
    for_each_partition(side, [&](unsigned thread, std::size_t partition) {
      if (!options_.image->is_used(side, partition)) return;
      if (lists_[side].recover(thread, partition, *chain_, log_.flushing())) removals = true;
    });
  }
  counters_.removals = logged_removals_ + (removals ? 1 : 0);  // of chains it is not known how many
  while (log_.logged() > 0) buffering_phase(log_.logged());
  for (unsigned side = 0; side < sides(); ++side) {
    for_each_partition(side, [&](unsigned /*thread*/, std::size_t partition) {
      lists_[side].check_recovered(partition);
    });
  }
  recovers_ = false;
}

}  // namespace outcore::evolving
