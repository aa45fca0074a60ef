// SPDX-License-Identifier: Apache-2.0
// The flushing phase of all vertices (section IV-A): every buffer, out-lists and in-lists, is
// written to its chain, so the log may overwrite what was buffered and the pool is empty.
#include "common/stopwatch.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

void Store::flushing_phase() {
  Stopwatch watch;
  const Phase phase = new_phase(false);
  const bool free_buffers = phase.alive.any();  // by one; else all at once
  for (unsigned side = 0; side < sides(); ++side) {
    for_each_partition(side, [&](unsigned thread, std::size_t partition) {
      lists_[side].flush(thread, partition, *chain_, phase, free_buffers);
    });
  }
  if (!free_buffers) pool_->clear();
  // While it recovers, chains have updates that are not counted as buffered yet.
  if (options_.image && !recovers_) options_.image->flush_up_to(log_.buffering(), vertices_);
  if (!recovers_) log_.flushed();
  chain_->number(log_.flushing());
  ++counters_.flushes;
  counters_.flush_seconds += watch.seconds();
}

void Store::flush_everything() {
  while (log_.logged() > 0) buffering_phase(log_.logged());
  flushing_phase();
}

void Store::flush_all() {
  const std::lock_guard lock(mutex_);
  flush_everything();
}

}  // namespace outcore::evolving
