// SPDX-License-Identifier: Apache-2.0
// Placement on nodes that this machine need not have: these only note what is asked of them.
#include "storage/evolving/placement.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/snapshot_view.h"
#include "storage/evolving/split_for_tests.h"
#include "storage/evolving/store.h"
#include "tests/sanitized.h"

namespace outcore::evolving {

namespace {

constexpr unsigned kNowhere = ~0U;

class NotedNodes final : public MemoryNodes {
 public:
  explicit NotedNodes(unsigned count) : count_(count) { here = kNowhere; }
  [[nodiscard]] unsigned count() const override { return count_; }
  void bind_thread(unsigned node) override { here = node; }
  void free_thread() override { here = kNowhere; }
  void place(std::byte* memory, std::uint64_t bytes, unsigned node) override {
    const std::lock_guard lock(mutex_);
    placed_.push_back({memory, bytes, node});
  }

  [[nodiscard]] unsigned node_of(const void* address) const {
    const std::lock_guard lock(mutex_);
    for (const Placed& placed : placed_) {
      if (address >= placed.memory && address < placed.memory + placed.bytes) return placed.node;
    }
    return kNowhere;
  }
  // The node of the calling thread.
  static thread_local unsigned here;

 private:
  struct Placed {
    const std::byte* memory;
    std::uint64_t bytes;
    unsigned node;
  };
  unsigned count_;
  mutable std::mutex mutex_;
  std::vector<Placed> placed_;
};
thread_local unsigned NotedNodes::here = kNowhere;

// Counts the blocks by whether the thread that writes is on the node that they lie on.
class WhoWrites final : public Medium {
 public:
  explicit WhoWrites(const NotedNodes& nodes) : nodes_(nodes) {}
  [[nodiscard]] bool takes_any_thread() const override { return true; }
  void wrote(std::uint64_t, std::uint64_t, const void* data) override {
    const unsigned node = nodes_.node_of(data);
    if (node == kNowhere) return;  // the log
    ++(node == NotedNodes::here ? local : remote);
  }
  void read(std::uint64_t, std::uint64_t) override {}
  void flush(std::uint64_t, std::uint64_t) override {}

  std::atomic<std::uint64_t> local{0};
  std::atomic<std::uint64_t> remote{0};

 private:
  const NotedNodes& nodes_;
};

StoreKnobs placed_store(NotedNodes& nodes, PlaceLists how, unsigned threads) {
  StoreKnobs options;
  options.threads = threads;
  options.log_edges = 4096;
  options.threshold = 512;
  options.bulk_bytes = std::uint64_t{1} << 16;
  options.nodes = &nodes;
  options.place = how;
  return options;
}

const std::vector<LogEdge>& many_updates() {
  static const auto stream =
      make_stream({.updates = 30000, .vertices = 50000, .removals = 0.1, .seed = 3});
  return stream;
}

TEST(VertexPlaces, GiveEachVertexAPlaceOfItsSubGraph) {
  for (const unsigned sub_graphs : {1U, 2U, 4U}) {
    const VertexPlaces places(sub_graphs);
    for (VertexId v = 0; v < 100000; v += 3) {
      const std::size_t partition = places.partition(v);
      ASSERT_EQ(places.vertex(partition, places.index(v)), v);
      ASSERT_EQ(partition % sub_graphs, v % sub_graphs);
      ASSERT_LT(partition, places.partitions(std::uint64_t{v} + 1));
    }
    const VertexId last = kMostVertices - 1;
    EXPECT_EQ(places.vertex(places.partition(last), places.index(last)), last);
    EXPECT_EQ(places.partitions(sub_graphs * kPartitionVertices), sub_graphs);
    EXPECT_EQ(places.partitions(sub_graphs * kPartitionVertices + 1), 2 * sub_graphs);
  }
}

TEST(EdgeShard, GivesRangesToThreadsOfTheirSubGraph) {
  Executor executor(5);
  EdgeShard shard(executor, 16, VertexPlaces(2));
  const std::span<const LogEdge> edges(many_updates());
  split(executor, shard, {edges, {}}, Ends::both, 50000);
  std::vector<unsigned> takers(shard.ranges(), 0);
  for (unsigned thread = 0; thread < 5; ++thread) {
    for (unsigned r = shard.first_range(thread); r < shard.last_range(thread); r += 2) {
      ++takers[r];
      VertexId before = 0;
      for (const Sharded& entry : shard.sorted(thread, r)) {
        ASSERT_EQ(entry.vertex % 2, thread % 2);
        ASSERT_GE(entry.vertex, before);
        before = entry.vertex;
      }
    }
  }
  EXPECT_EQ(takers, std::vector<unsigned>(shard.ranges(), 1));
}

TEST(Placement, AStoreHoldsTheSameOnAnyNumberOfNodes) {
  for (const unsigned count : {1U, 2U, 3U, 8U}) {
    for (const unsigned threads : {1U, 2U, 5U}) {
      if (kThreadSanitized && (threads == 1 || count == 2)) continue;
      for (const PlaceLists how : {PlaceLists::sub_graphs, PlaceLists::directions}) {
        NotedNodes nodes(count);
        const std::span<const LogEdge> stream(many_updates());
        Store store(placed_store(nodes, how, threads));
        store.add_edges(stream.first(20000));
        const auto early = store.snapshot();
        store.compact_all();
        store.compact(3);
        store.add_edges(stream.subspan(20000));
        store.flush_all();
        EXPECT_EQ(NotedNodes::here, kNowhere) << "the caller's thread is still bound";
        const auto late = store.snapshot();
        for (const auto& snapshot : {early, late}) {
          snapshot->prepare(2);
          const EdgeMultiset expected(stream.first(snapshot->updates()), false);
          for (const Direction direction : {Direction::out, Direction::in})
            EXPECT_EQ(lists_of(*snapshot, direction),
                      lists_of(expected, snapshot->vertices(), direction))
                << count << " nodes, " << threads << " threads";
        }
      }
    }
  }
}

// Of each vertex the buffer and the newest block, by direction.
template <typename F>
void for_each_memory(const Store& store, F&& f) {
  const auto snapshot = store.snapshot();
  snapshot->prepare(1);
  for (const Direction direction : {Direction::out, Direction::in}) {
    const SnapshotView view(*snapshot, direction);
    for (VertexId v = 0; v < snapshot->vertices(); ++v) {
      const VertexRecord& record = view.record(v);
      if (record.buffer != 0) f(direction, v, view.pool().entries(record.buffer));
      if (record.chain != 0) f(direction, v, &view.chain().block(record.chain));
    }
  }
}

TEST(Placement, TheListsOfAVertexAreOnTheNodeOfItsSubGraph) {
  NotedNodes nodes(5);
  Store store(placed_store(nodes, PlaceLists::sub_graphs, 6));
  store.add_edges(many_updates());
  store.buffer_all();
  std::uint64_t seen = 0;
  const auto expect_on_its_node = [&](Direction, VertexId v, const void* memory) {
    ++seen;
    ASSERT_EQ(nodes.node_of(memory), v % 4);
  };
  for_each_memory(store, expect_on_its_node);
  EXPECT_GT(seen, 10000);
  store.compact(5);
  store.compact_all();
  for_each_memory(store, expect_on_its_node);
}

TEST(Placement, OutListsAndInListsAreOnANodeEach) {
  NotedNodes nodes(3);
  Store store(placed_store(nodes, PlaceLists::directions, 3));
  store.add_edges(many_updates());
  store.buffer_all();
  const auto expect_on_its_node = [&](Direction direction, VertexId, const void* memory) {
    ASSERT_EQ(nodes.node_of(memory), direction == Direction::out ? 0 : 1);
  };
  for_each_memory(store, expect_on_its_node);
  store.compact_all();
  for_each_memory(store, expect_on_its_node);
}

TEST(Placement, ThreadsWriteToTheirOwnNodeAlone) {
  for (const PlaceLists how : {PlaceLists::sub_graphs, PlaceLists::directions}) {
    NotedNodes nodes(2);
    WhoWrites medium(nodes);
    StoreKnobs options = placed_store(nodes, how, 4);
    options.medium = &medium;
    Store store(options);
    store.add_edges(many_updates());
    store.flush_all();
    store.compact_all();
    EXPECT_EQ(medium.remote, 0);
    EXPECT_GT(medium.local, 1000);
  }
}

TEST(Placement, CountsByNode) {
  NotedNodes nodes(2);
  const auto counters = [&](PlaceLists how, unsigned threads) {
    Store store(placed_store(nodes, how, threads));
    store.add_edges(many_updates());
    store.flush_all();
    return store.counters().nodes;
  };
  std::uint64_t even = 0;
  for (const LogEdge& edge : many_updates())
    even += (edge.source % 2 == 0 ? 1U : 0U) + (neighbour(edge.target) % 2 == 0 ? 1U : 0U);
  const std::vector<NodeCounters> by_sub_graph = counters(PlaceLists::sub_graphs, 2);
  ASSERT_EQ(by_sub_graph.size(), 2);
  EXPECT_EQ(by_sub_graph[0].entries, even);
  EXPECT_EQ(by_sub_graph[1].entries, 2 * many_updates().size() - even);
  EXPECT_GT(by_sub_graph[0].chain_bytes, 0);
  EXPECT_GT(by_sub_graph[1].chain_bytes, 0);

  const std::vector<NodeCounters> by_direction = counters(PlaceLists::directions, 1);
  ASSERT_EQ(by_direction.size(), 2);
  EXPECT_EQ(by_direction[0].entries, many_updates().size());
  EXPECT_EQ(by_direction[1].entries, many_updates().size());

  EXPECT_TRUE(counters(PlaceLists::none, 2).empty());
  EXPECT_TRUE(counters(PlaceLists::sub_graphs, 1).empty()) << "one thread is on one node";
}

TEST(Placement, NothingIsAskedOfOneNode) {
  NotedNodes nodes(1);
  Store store(placed_store(nodes, PlaceLists::sub_graphs, 2));
  store.add_edges(many_updates());
  for_each_memory(store, [&](Direction, VertexId, const void* memory) {
    ASSERT_EQ(nodes.node_of(memory), kNowhere);
  });
  EXPECT_TRUE(store.counters().nodes.empty());
}

TEST(Placement, ListsOfBothEndsHaveNoDirections) {
  NotedNodes nodes(2);
  StoreKnobs options = placed_store(nodes, PlaceLists::directions, 2);
  options.symmetric = true;
  EXPECT_THROW(Store{options}, Error);
  options.place = PlaceLists::sub_graphs;
  Store store(options);
  store.add_edges(many_updates());
  const auto snapshot = store.snapshot();
  snapshot->prepare(1);
  EXPECT_EQ(snapshot->edges(), EdgeMultiset(many_updates(), true).edges());
}

}  // namespace

}  // namespace outcore::evolving
