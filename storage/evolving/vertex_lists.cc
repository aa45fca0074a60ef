// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/vertex_lists.h"

#include <algorithm>
#include <cstring>

#include "common/error.h"

namespace outcore::evolving {

namespace {

// Calls f with the entries of each vertex.
template <typename F>
void for_each_vertex(std::span<const Sharded> sorted, F&& f) {
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end].vertex == sorted[begin].vertex) ++end;
    f(begin, sorted.subspan(begin, end - begin));
    begin = end;
  }
}

bool any_removes(std::span<const Sharded> entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Sharded& entry) { return removes(entry.entry); });
}

}  // namespace

VertexLists::VertexLists(const Placement& placement, unsigned side, unsigned threads,
                         const Layers& layers, BufferPool& pool, PmemImage* image)
    : placement_(placement),
      places_(placement.vertex_places()),
      side_(side),
      layers_(layers),
      pool_(pool),
      image_(image),
      spares_(std::make_shared<SparePartitions>(placement)),
      locals_(threads) {}

void VertexLists::grow(VertexId vertices) {
  const std::size_t wanted = places_.partitions(vertices);
  if (wanted <= partitions_.size()) return;
  partitions_.resize(wanted, empty_);
  raw_.resize(wanted, empty_.get());
}

Partition& VertexLists::own(unsigned thread, std::size_t index, const Phase& phase) {
  Partition& shared = *raw_[index];
  const bool unused = empty(index);
  if (!unused && shared.version >= phase.alive.newest) return shared;
  if (unused && image_ != nullptr) image_->use(side_, index);
  partitions_[index] =
      SparePartitions::copy(spares_, shared, placement_.node_of_lane(lane(thread)));
  raw_[index] = partitions_[index].get();
  raw_[index]->version = phase.last_snapshot;
  if (!unused) ++locals_[thread].counters.copied_partitions;
  return *raw_[index];
}

void VertexLists::prefetch(const Sharded& coming) const {
  const VertexRecord& next = record(coming.vertex);
  __builtin_prefetch(pool_.entries(next.buffer) + next.used, 1);
}

void VertexLists::buffer(unsigned thread, std::span<const Sharded> sorted, AdjacencyChain& chain,
                         const Phase& phase) {
  // Twice this many entries ahead the record is fetched, so that it is there to lead to the buffer.
  constexpr std::size_t kAhead = 12;
  for_each_vertex(sorted, [&](std::size_t begin, std::span<const Sharded> entries) {
    const VertexId v = entries.front().vertex;
    if (const std::size_t at = begin + 2 * kAhead; at < sorted.size()) {
      __builtin_prefetch(&record(sorted[at].vertex), 1);
      prefetch(sorted[begin + kAhead]);
    }
    VertexRecord& record = changed(thread, v, phase);
    const AdjacencyChain::Place before = record.chain;
    if (image_ != nullptr) entries = not_in_chain(record, entries);
    append(thread, record, entries, chain, phase);
    if (image_ != nullptr && record.chain != before) moved(thread, v);
  });
  publish(thread);
}

// During recovery a record without a buffer counts there what its chain has of the log.
std::span<const Sharded> VertexLists::not_in_chain(VertexRecord& record,
                                                   std::span<const Sharded> entries) {
  if (record.layer != 0 || record.buffer == 0) return entries;
  const std::size_t there = std::min<std::size_t>(record.buffer, entries.size());
  record.buffer -= static_cast<std::uint32_t>(there);
  return entries.subspan(there);
}

void VertexLists::publish(unsigned thread) {
  std::vector<VertexId>& moved = locals_[thread].moved;
  if (moved.empty()) return;
  image_->fence();
  for (const VertexId v : moved) {
    const VertexRecord& at = record(v);
    image_->set_root(side_, v, {at.chain, at.flushed, at.has_removals});
  }
  image_->fence();
  moved.clear();
}

bool VertexLists::recover(unsigned thread, std::size_t partition, const AdjacencyChain& chain,
                          std::uint64_t flushed) {
  auto& records = own(thread, partition, {}).records;
  bool removals = false;
  for (VertexId i = 0; i < kPartitionVertices; ++i) {
    const ChainRoot root = image_->root(side_, places_.vertex(partition, i));
    if (root.chain == 0) continue;
    records[i].chain = root.chain;
    records[i].flushed = root.entries;
    records[i].has_removals = root.has_removals;
    const std::uint64_t ahead = chain.entries_after(root.chain, flushed, root.entries);
    if (ahead > root.entries) refuse_chains();
    records[i].buffer = static_cast<std::uint32_t>(ahead);
    removals = removals || root.has_removals;
  }
  return removals;
}

void VertexLists::check_recovered(std::size_t partition) const {
  const auto& records = raw_[partition]->records;
  if (std::none_of(records.begin(), records.end(), [](const VertexRecord& record) {
        return record.layer == 0 && record.buffer != 0;
      })) {
    return;
  }
  refuse_chains();
}

void VertexLists::refuse_chains() const {
  throw bad_input(Place::file(image_->memory().path()), "a chain with entries of no update",
                  "those that its root and the log tell of", "the file was changed");
}

void VertexLists::append(unsigned thread, VertexRecord& record, std::span<const Sharded> entries,
                         AdjacencyChain& chain, const Phase& phase) {
  if (phase.removals && any_removes(entries)) record.has_removals = true;
  while (!entries.empty()) {
    const std::uint32_t capacity = layers_.capacity(record.layer);
    const bool outgrown = record.layer < layers_.most() && record.used + entries.size() > capacity;
    if (record.used == capacity || outgrown) {
      make_room(thread, record, entries.size(), chain, phase);
      continue;
    }
    const std::size_t count = std::min<std::size_t>(capacity - record.used, entries.size());
    Entry* const to = pool_.entries(record.buffer) + record.used;
    for (std::size_t i = 0; i < count; ++i) to[i] = entries[i].entry;
    record.used = static_cast<std::uint8_t>(record.used + count);
    entries = entries.subspan(count);
  }
}

void VertexLists::make_room(unsigned thread, VertexRecord& record, std::uint64_t entries,
                            AdjacencyChain& chain, const Phase& phase) {
  if (record.layer == layers_.most()) {
    ++locals_[thread].counters.full_blocks;
    write_buffer(thread, record, chain);
    if (phase.alive.any()) {
      pool_.retire(lane(thread), record.buffer, record.layer, phase.alive.newest);
      record.buffer = pool_.allocate(lane(thread), record.layer);
    }
    return;
  }
  const unsigned layer = layers_.layer_of(record.used + entries);
  const BufferPool::Place larger = pool_.allocate(lane(thread), layer);
  if (record.layer != 0) {
    std::memcpy(pool_.entries(larger), pool_.entries(record.buffer), record.used * sizeof(Entry));
    drop_buffer(thread, record, phase);
    ++locals_[thread].counters.moves;
  }
  record.buffer = larger;
  record.layer = static_cast<std::uint8_t>(layer);
}

void VertexLists::drop_buffer(unsigned thread, VertexRecord& record, const Phase& phase) {
  if (phase.alive.any()) {
    pool_.retire(lane(thread), record.buffer, record.layer, phase.alive.newest);
  } else {
    pool_.free(lane(thread), record.buffer, record.layer);
  }
  record.buffer = 0;
  record.layer = 0;
}

void VertexLists::write_buffer(unsigned thread, VertexRecord& record, AdjacencyChain& chain) const {
  record.chain =
      chain.append(lane(thread), record.chain, {pool_.entries(record.buffer), record.used});
  record.flushed += record.used;
  record.used = 0;
}

void VertexLists::archive(unsigned thread, std::span<const Sharded> in_log_order,
                          std::span<const Sharded> sorted, AdjacencyChain& chain,
                          const Phase& phase) {
  // The buffer's place, which nothing else uses here, counts the entries that are stored.
  for_each_vertex(sorted, [&](std::size_t, std::span<const Sharded> entries) {
    VertexRecord& record = changed(thread, entries.front().vertex, phase);
    if (phase.removals && any_removes(entries)) record.has_removals = true;
    const auto count = static_cast<std::uint32_t>(entries.size());
    record.chain = chain.link_and_make(lane(thread), record.chain, count);
    record.flushed += count;
  });
  for (const Sharded& entry : in_log_order) {
    VertexRecord& record = changed(thread, entry.vertex, phase);
    chain.set(lane(thread), record.chain, record.buffer++, entry.entry);
  }
  for (const Sharded& entry : in_log_order) changed(thread, entry.vertex, phase).buffer = 0;
}

void VertexLists::flush(unsigned thread, std::size_t index, AdjacencyChain& chain,
                        const Phase& phase, bool free_buffers) {
  if (empty(index)) return;
  const auto& records = raw_[index]->records;
  if (std::none_of(records.begin(), records.end(),
                   [](const VertexRecord& record) { return record.layer != 0; })) {
    return;
  }
  constexpr std::size_t kAhead = 16;
  auto& mine = own(thread, index, phase).records;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (i + kAhead < mine.size()) __builtin_prefetch(pool_.entries(mine[i + kAhead].buffer));
    VertexRecord& record = mine[i];
    if (record.layer == 0) continue;
    if (record.used > 0) {
      write_buffer(thread, record, chain);
      if (image_ != nullptr) moved(thread, places_.vertex(index, static_cast<VertexId>(i)));
    }
    if (free_buffers) drop_buffer(thread, record, phase);
    record.buffer = 0;
    record.layer = 0;
  }
  publish(thread);
}

WorkCounters VertexLists::counters() const {
  WorkCounters sum;
  for (const Local& local : locals_) sum += local.counters;
  return sum;
}

}  // namespace outcore::evolving
