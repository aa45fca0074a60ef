// SPDX-License-Identifier: Apache-2.0
// The lists of one direction: a record a vertex, in partitions, which leads to the vertex's buffer
// and to its chain. Buffering and flushing of phases (section IV-A).
//
// Partitions are those of VertexPlaces. In a phase each belongs to one thread, of the memory node
// that it lies on. Records of a partition that a living snapshot shares are copied before the first
// change; buffers that it may read are retired, not freed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "storage/evolving/adjacency_chain.h"
#include "storage/evolving/buffer_pool.h"
#include "storage/evolving/edge_shard.h"
#include "storage/evolving/live_snapshots.h"
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
  // `side` of the placement: 0 for out-lists, 1 for in-lists.
  VertexLists(const Placement& placement, unsigned side, unsigned threads, const Layers& layers,
              BufferPool& pool);

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
  // Frees or retires the buffer of a record.
  void drop_buffer(unsigned thread, VertexRecord& record, const Phase& phase);

  [[nodiscard]] WorkCounters counters() const;

 private:
  struct alignas(64) Local {
    WorkCounters counters;
  };

  Partition& own(unsigned thread, std::size_t index, const Phase& phase);
  void append(unsigned thread, VertexRecord& record, std::span<const Sharded> entries,
              AdjacencyChain& chain, const Phase& phase);
  void make_room(unsigned thread, VertexRecord& record, std::uint64_t entries,
                 AdjacencyChain& chain, const Phase& phase);
  void write_buffer(unsigned thread, VertexRecord& record, AdjacencyChain& chain) const;
  void prefetch(const Sharded& coming) const;
  [[nodiscard]] unsigned lane(unsigned thread) const { return placement_.lane(thread, side_); }

  const Placement placement_;
  const VertexPlaces places_;
  const unsigned side_;
  const Layers& layers_;
  BufferPool& pool_;
  // Stands for every partition without entries: a vertex with a large number costs no memory for
  // the vertices before it.
  std::shared_ptr<Partition> empty_ = std::make_shared<Partition>();
  std::shared_ptr<SparePartitions> spares_ = std::make_shared<SparePartitions>();
  PartitionTable partitions_;
  std::vector<Partition*> raw_;  // the same, without counting references
  std::vector<Local> locals_;
};

}  // namespace outcore::evolving
