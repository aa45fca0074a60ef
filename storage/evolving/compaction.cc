// SPDX-License-Identifier: Apache-2.0
// Compaction (Table I): all entries of a vertex, buffered and flushed, become one block in which
// only edges are that stand. Compaction of all writes new chains; the memory of the old ones is
// freed with the last snapshot that reads them. What compaction of one vertex replaces is freed by
// the next compaction of all.
//
// In persistent memory everything is flushed first, and then each vertex moves to its block by its
// root. Removals of what was not there stay, as the oldest entries, where they remove nothing: so
// they are counted exactly after a loss of power in the middle, too. Such a block has number 0,
// since its entries are no updates that recovery might count.
#include <algorithm>

#include "storage/evolving/standing_edges.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

// Returns how many removals were of edges that were not there.
std::uint64_t Store::compact_one(unsigned thread, unsigned side, VertexId v, AdjacencyChain& into,
                                 const Phase& phase) {
  const VertexRecord before = lists_[side].record(v);
  if (before.used == 0 && before.flushed == 0) return 0;
  std::vector<Entry> newest_first;
  newest_first.reserve(std::size_t{before.used} + before.flushed);
  StandingEdges standing;
  const auto keep = [&](VertexId u) { newest_first.push_back(u); };
  standing.take({pool_->entries(before.buffer), before.used}, keep);
  chain_->read(before.chain, [&](std::span<const Entry> entries) { standing.take(entries, keep); });
  if (options_.image)
    standing.for_each_missed([&](VertexId u) { newest_first.push_back(u | kRemoval); });
  const std::size_t missed_entries = options_.image ? standing.missed(0) : 0;
  std::reverse(newest_first.begin(), newest_first.end());

  VertexRecord& record = lists_[side].changed(thread, v, phase);
  if (record.layer != 0) lists_[side].drop_buffer(thread, record, phase);
  record = VertexRecord{};
  if (!newest_first.empty())
    record.chain = into.append(placement_.lane(thread, side), 0, newest_first);
  record.flushed = static_cast<std::uint32_t>(newest_first.size());
  if (options_.image) {
    record.has_removals = missed_entries > 0;
    lists_[side].moved(thread, v);
    return 0;
  }
  return standing.missed(options_.symmetric ? v : 0);
}

std::uint64_t Store::compact_partition(unsigned thread, unsigned side, std::size_t partition,
                                       AdjacencyChain& into, const Phase& phase) {
  if (lists_[side].empty(partition)) return 0;
  const VertexPlaces places = placement_.vertex_places();
  std::uint64_t missed = 0;
  for (VertexId i = 0; i < kPartitionVertices; ++i)
    missed += compact_one(thread, side, places.vertex(partition, i), into, phase);
  lists_[side].publish(thread);
  return missed;
}

void Store::compact(VertexId v) {
  const std::lock_guard lock(mutex_);
  settle_for_compaction();
  if (v >= vertices_) return;
  chain_->number(0);
  const Phase phase = new_phase(false);
  const unsigned of_its_node =
      v % placement_.vertex_places().sub_graphs();  // a thread of this number
  for (unsigned side = 0; side < sides(); ++side) {
    const std::uint64_t missed = compact_one(of_its_node, side, v, *chain_, phase);
    lists_[side].publish(of_its_node);
    if (side == 0) counters_.removals_missed += missed;
  }
  chain_->number(log_.flushing());
}

// REQUIRES: the mutex.
void Store::settle_for_compaction() {
  buffer_everything();
  if (options_.image) flushing_phase();
}

void Store::compact_all() {
  const std::lock_guard lock(mutex_);
  settle_for_compaction();
  const Phase phase = new_phase(false);
  const std::shared_ptr<AdjacencyChain> into =
      new_chain(options_.image ? options_.image->new_generation() : nullptr);
  std::vector<std::uint64_t> missed(executor_.size(), 0);
  for (unsigned side = 0; side < sides(); ++side) {
    for_each_partition(side, [&](unsigned thread, std::size_t partition) {
      const std::uint64_t count = compact_partition(thread, side, partition, *into, phase);
      if (side == 0) missed[thread] += count;
    });
  }
  for (const std::uint64_t count : missed) counters_.removals_missed += count;
  counters_ += chain_->counters();  // they go with it
  if (options_.image) options_.image->keep_newest_generation();
  chain_ = into;
  if (!phase.alive.any()) pool_->clear();
  log_.flushed();
  chain_->number(log_.flushing());
  ++counters_.compactions;
}

}  // namespace outcore::evolving
