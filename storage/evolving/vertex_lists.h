// SPDX-License-Identifier: Apache-2.0
// The lists of one direction: a record a vertex, in partitions, which leads to the vertex's buffer
// and to its chain. Buffering and flushing of phases (section IV-A).
//
// Partitions are those of VertexPlaces. In a phase each belongs to one thread, of the memory node
// that it lies on. Records of a partition that a living snapshot shares are copied before the first
// change; buffers that it may read are retired, not freed.
//
// In persistent memory each chain has a root. Blocks are written first, then a fence, then the
// roots of the vertices that got blocks (publish()). So a root never leads to what may be lost.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "storage/evolving/adjacency_chain.h"
#include "storage/evolving/buffer_pool.h"
#include "storage/evolving/edge_shard.h"
#include "storage/evolving/live_snapshots.h"
#include "storage/evolving/pmem/pmem_image.h"
#include "storage/evolving/spare_partitions.h"
#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

using PartitionTable = std::vector<std::shared_ptr<Partition>>;

// What holds during one phase.
struct Phase {
  SnapshotsAlive alive;
  std::uint64_t last_snapshot = 0;
  bool removals = false;  // some edge of the batch is a removal
};

class VertexLists {
 public:
  // `side` of the placement: 0 for out-lists, 1 for in-lists. `image` has the roots of chains; null
  // where they need not last.
  VertexLists(const Placement& placement, unsigned side, unsigned threads, const Layers& layers,
              BufferPool& pool, PmemImage* image);

  void grow(VertexId vertices);
  [[nodiscard]] const PartitionTable& partitions() const { return partitions_; }
  [[nodiscard]] const VertexRecord& record(VertexId v) const {
    return raw_[places_.partition(v)]->records[places_.index(v)];
  }

  // No vertex of the partition ever had an entry.
  [[nodiscard]] bool empty(std::size_t partition) const { return raw_[partition] == empty_.get(); }

  // By one thread a partition. Takes a sorted list of new entries into buffers; buffers that become
  // full are written to the chain.
  void buffer(unsigned thread, std::span<const Sharded> sorted, AdjacencyChain& chain,
              const Phase& phase);
  // GraphOne's way: counts, makes a block for each vertex that has new entries, and stores each
  // entry by itself, in the order of the log.
  void archive(unsigned thread, std::span<const Sharded> in_log_order,
               std::span<const Sharded> sorted, AdjacencyChain& chain, const Phase& phase);
  // Writes all buffers of a partition. `free_buffers` false: the pool is cleared afterwards.
  void flush(unsigned thread, std::size_t partition, AdjacencyChain& chain, const Phase& phase,
             bool free_buffers);
  // The record of a vertex, to change it: its partition is copied first where that is needed.
  VertexRecord& changed(unsigned thread, VertexId v, const Phase& phase) {
    return own(thread, places_.partition(v), phase).records[places_.index(v)];
  }
  // The vertex has another chain, and publish() must be called.
  void moved(unsigned thread, VertexId v) { locals_[thread].moved.push_back(v); }
  // Makes the chains that this thread has written last.
  void publish(unsigned thread);

  // Opens the chains of a partition, of which the first `flushed` updates need no log. What is in
  // a chain beyond them is left out when its log is buffered again. True if something was removed.
  // Throws bad_input for chains that cannot be.
  bool recover(unsigned thread, std::size_t partition, const AdjacencyChain& chain,
               std::uint64_t flushed);
  // After the log was buffered again. Throws bad_input if a chain has updates that no log had.
  void check_recovered(std::size_t partition) const;

  // Frees or retires the buffer of a record.
  void drop_buffer(unsigned thread, VertexRecord& record, const Phase& phase);

  [[nodiscard]] WorkCounters counters() const;

 private:
  struct alignas(64) Local {
    WorkCounters counters;
    std::vector<VertexId> moved;
  };

  Partition& own(unsigned thread, std::size_t index, const Phase& phase);
  void append(unsigned thread, VertexRecord& record, std::span<const Sharded> entries,
              AdjacencyChain& chain, const Phase& phase);
  void make_room(unsigned thread, VertexRecord& record, std::uint64_t entries,
                 AdjacencyChain& chain, const Phase& phase);
  void write_buffer(unsigned thread, VertexRecord& record, AdjacencyChain& chain) const;
  void prefetch(const Sharded& coming) const;
  [[noreturn]] void refuse_chains() const;
  [[nodiscard]] static std::span<const Sharded> not_in_chain(VertexRecord& record,
                                                             std::span<const Sharded> entries);
  [[nodiscard]] unsigned lane(unsigned thread) const { return placement_.lane(thread, side_); }

  const Placement placement_;
  const VertexPlaces places_;
  const unsigned side_;
  const Layers& layers_;
  BufferPool& pool_;
  PmemImage* const image_;
  // Stands for every partition without entries: a vertex with a large number costs no memory for
  // the vertices before it.
  std::shared_ptr<Partition> empty_ = std::make_shared<Partition>();
  std::shared_ptr<SparePartitions> spares_;
  PartitionTable partitions_;
  std::vector<Partition*> raw_;  // the same, without counting references
  std::vector<Local> locals_;
};

}  // namespace outcore::evolving
