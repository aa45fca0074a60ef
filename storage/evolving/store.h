// SPDX-License-Identifier: Apache-2.0
// A store for a graph that changes: XPGraph (Wang, He, Zong et al., MICRO 2022), in memory.
//
// Updates are appended to the edge log. When a threshold of them is there, a *buffering phase* puts
// them into the vertex buffers, out-lists and in-lists, by all threads; buffers that become full
// are written to the chains. When the log is full of edges that are only buffered, or the pool of
// buffers is full, a *flushing phase* writes all buffers (sections III and IV).
//
// Any thread may call anything; calls that change the store wait for one another. A phase runs
// within the call that starts it, on the store's threads. snapshot() waits for a phase that is
// running, and stops no phase for longer than it takes to copy some pointers.
//
// In persistent memory (StoreKnobs::image) an update is acknowledged when append() or add_edges()
// returns: it survives a loss of power. Opening such a store is its recovery: it is exactly the
// first P updates, all that were acknowledged among them. After a lack of room nothing more is
// taken in until it is opened again.
//
// Memory order: what a call changes is seen by the next one through the mutex, and by readers of a
// snapshot through the mutex under which it was made. Within a phase threads share nothing but what
// the executor's barriers order, and counters that hand out partitions.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "common/executor.h"
#include "common/ids.h"
#include "storage/evolving/adjacency_chain.h"
#include "storage/evolving/buffer_pool.h"
#include "storage/evolving/bulks.h"
#include "storage/evolving/counters.h"
#include "storage/evolving/edge_log.h"
#include "storage/evolving/edge_shard.h"
#include "storage/evolving/live_snapshots.h"
#include "storage/evolving/log_edge.h"
#include "storage/evolving/snapshot.h"
#include "storage/evolving/store_knobs.h"
#include "storage/evolving/stream.h"
#include "storage/evolving/vertex_lists.h"

namespace outcore::evolving {

class Store : public UpdateSink {
 public:
  // Throws a usage Error for options that contradict one another.
  explicit Store(const StoreKnobs& options);

  // Updating (Table I). Ids must be less than kMostVertices; others throw a usage Error, and
  // nothing is taken.
  void add_edge(VertexId source, VertexId target);
  void delete_edge(VertexId source, VertexId target);
  void add_edges(std::span<const LogEdge> edges);
  // Past the log, straight into the buffers. In persistent memory through the log, by which
  // recovery counts.
  void buffer_edges(std::span<const LogEdge> edges);

  // For a feeder that writes into the log itself: room for at most `most` updates in one piece, at
  // least one. append() takes the first `count` of them in. One thread feeds.
  std::span<LogEdge> room(std::uint64_t most) override;
  void append(std::uint64_t count) override;

  // Arranging (Table I).
  void buffer_all();
  void flush_all();
  void compact(VertexId v);
  void compact_all();

  // Querying (Table I): one vertex, with all that is there now. The parts are as they lie, from the
  // oldest entry to the newest, with removals; neighbours() are those that stand, in no order.
  [[nodiscard]] std::vector<VertexId> neighbours(Direction direction, VertexId v) const;
  [[nodiscard]] std::vector<Entry> logged(Direction direction, VertexId v) const;
  [[nodiscard]] std::vector<Entry> buffered(Direction direction, VertexId v) const;
  [[nodiscard]] std::vector<Entry> flushed(Direction direction, VertexId v) const;
  [[nodiscard]] std::vector<Update> logged_edges() const;

  // All updates until now, permanently.
  [[nodiscard]] std::shared_ptr<Snapshot> snapshot() const;

  [[nodiscard]] VertexId vertices() const;
  [[nodiscard]] StoreCounters counters() const;

 private:
  using Batch = EdgeShard::Batch;

  // Each REQUIRES the mutex.
  [[nodiscard]] EdgeFacts facts_by_all_threads(std::span<const LogEdge> edges);
  void take(std::span<const LogEdge> edges);
  void buffer_due();
  void make_free_log();
  void buffering_phase(std::uint64_t edges);
  void buffer_batch(const Batch& batch, bool removals);
  void split(const Batch& batch);
  void buffer_ranges(unsigned thread, unsigned side, const Phase& phase);
  void flushing_phase();
  void flush_everything();
  void buffer_everything();
  void settle_for_compaction();
  void recover();
  std::uint64_t pool_room(std::uint64_t least);
  void told_of_log(std::uint64_t begin, std::uint64_t end, bool written);
  [[nodiscard]] Phase new_phase(bool removals) const;
  [[nodiscard]] unsigned sides() const { return options_.symmetric ? 1 : 2; }
  [[nodiscard]] const VertexLists& lists(Direction direction) const {
    return lists_[options_.symmetric ? 0 : static_cast<unsigned>(direction)];
  }
  [[nodiscard]] std::vector<Entry> logged_of(Direction direction, VertexId v) const;
  [[nodiscard]] std::vector<Entry> buffered_of(Direction direction, VertexId v) const;
  [[nodiscard]] std::vector<Entry> flushed_of(Direction direction, VertexId v) const;
  // `bulks` null: anywhere in memory.
  [[nodiscard]] std::shared_ptr<AdjacencyChain> new_chain(std::unique_ptr<Bulks> bulks) const;
  void count_by_node(unsigned side);
  template <typename F>
  void for_each_partition(unsigned side, F&& f);
  [[nodiscard]] std::uint64_t compact_partition(unsigned thread, unsigned side,
                                                std::size_t partition, AdjacencyChain& into,
                                                const Phase& phase);
  [[nodiscard]] std::uint64_t compact_one(unsigned thread, unsigned side, VertexId v,
                                          AdjacencyChain& into, const Phase& phase);

  StoreKnobs options_;
  Placement placement_;
  mutable std::mutex mutex_;  // of everything below
  Layers layers_;
  Executor executor_;
  EdgeLog log_;
  std::vector<EdgeShard> shards_;  // out, in
  std::shared_ptr<BufferPool> pool_;
  std::shared_ptr<AdjacencyChain> chain_;
  std::vector<VertexLists> lists_;  // out, in
  std::shared_ptr<LiveSnapshots> live_;
  bool recovers_ = false;
  std::uint64_t logged_removals_ = 0;  // of the edges that are not buffered
  VertexId vertices_ = 0;
  StoreCounters counters_;
};

// Calls f(thread, partition) with each partition of a side, by threads of the node that it lies on.
template <typename F>
void Store::for_each_partition(unsigned side, F&& f) {
  const std::size_t partitions = lists_[side].partitions().size();
  const unsigned sub_graphs = placement_.vertex_places().sub_graphs();
  std::vector<std::atomic<std::size_t>> next(sub_graphs);
  executor_.run([&](unsigned thread) {
    const Placement::Bound bound(placement_, thread, side);
    const unsigned sub_graph = thread % sub_graphs;
    while (!executor_.stopping()) {
      // Relaxed: the counter hands out partitions and publishes no other data.
      const std::size_t nth = next[sub_graph].fetch_add(1, std::memory_order_relaxed);
      const std::size_t partition = nth * sub_graphs + sub_graph;
      if (partition >= partitions) break;
      f(thread, partition);
    }
  });
}

}  // namespace outcore::evolving
