// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/optane_model.h"

namespace outcore::evolving {

namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Small, so that short streams wrap the log and fill buffers; `change` turns a knob.
template <typename F>
StoreKnobs small_store(F&& change) {
  StoreKnobs options;
  options.threads = 2;
  options.log_edges = 4096;
  options.threshold = 512;
  options.bulk_bytes = std::uint64_t{1} << 16;
  change(options);
  return options;
}
StoreKnobs small_store() {
  return small_store([](StoreKnobs&) {});
}

StoreCounters counters_after(const StoreKnobs& options, const std::vector<LogEdge>& stream) {
  Store store(options);
  store.add_edges(stream);
  store.buffer_all();
  return store.counters();
}

void expect_holds(const Store& store, const EdgeMultiset& expected) {
  const auto snapshot = store.snapshot();
  snapshot->prepare(2);
  EXPECT_EQ(snapshot->edges(), expected.edges());
  EXPECT_EQ(snapshot->removals_missed(), expected.missed());
  for (const Direction direction : {Direction::out, Direction::in}) {
    const auto lists = lists_of(*snapshot, direction);
    EXPECT_EQ(lists, lists_of(expected, snapshot->vertices(), direction));
    for (VertexId v = 0; v < snapshot->vertices(); ++v)
      ASSERT_EQ(snapshot->degree(direction, v), lists[v].size()) << v;
  }
}

TEST(Store, HoldsWhatItWasGivenWithEveryKnob) {
  const std::vector<StoreKnobs> knobs = {
      small_store(),
      small_store([](auto& o) { o.symmetric = true; }),
      small_store([](auto& o) { o.threads = 1; }),
      small_store([](auto& o) {
        o.threads = 3;
        o.ranges = 64;
      }),
      small_store([](auto& o) {
        o.exact_batches = true;
        o.threshold = 7;
      }),
      small_store([](auto& o) { o.reuse_buffered = true; }),
      small_store([](auto& o) {
        o.least_buffer = 8;
        o.most_buffer = 512;
      }),
      small_store([](auto& o) { o.least_buffer = o.most_buffer = 8; }),
      small_store([](auto& o) { o.least_buffer = o.most_buffer = 64; }),
      small_store([](auto& o) { o.archiving = Archiving::edge_by_edge; }),
      small_store([](auto& o) {
        o.threshold = 64;
        o.pool_bytes = 512 << 10;
      }),
  };
  for (const double removals : {0.0, 0.02, 0.5}) {
    const auto stream = make_stream({.updates = 9000, .vertices = 20000, .removals = removals});
    const EdgeMultiset directed(stream, false);
    const EdgeMultiset symmetric(stream, true);
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "knob " << i << ", removals " << removals);
      const EdgeMultiset& expected = knobs[i].symmetric ? symmetric : directed;
      Store store(knobs[i]);
      store.add_edges(stream);
      EXPECT_EQ(store.snapshot()->updates(), stream.size());
      expect_holds(store, expected);
      store.flush_all();
      expect_holds(store, expected);
      store.compact_all();
      expect_holds(store, expected);
    }
  }
}

TEST(Store, GoesOnAfterEveryArrangement) {
  auto stream = make_stream({.updates = 3000, .removals = 0.3});
  const auto more = make_stream({.updates = 3000, .removals = 0.3, .seed = 2});
  Store store(small_store());
  store.add_edges(stream);
  for (VertexId v = 0; v < 10; ++v) store.compact(v);
  expect_holds(store, EdgeMultiset(stream, false));
  store.add_edges(more);
  stream.insert(stream.end(), more.begin(), more.end());
  expect_holds(store, EdgeMultiset(stream, false));
  store.compact_all();
  store.buffer_edges(more);
  stream.insert(stream.end(), more.begin(), more.end());
  expect_holds(store, EdgeMultiset(stream, false));
}

TEST(Store, TableOneSaysWhereEntriesLie) {
  Store store(small_store());
  store.add_edge(1, 2);
  store.add_edge(1, 3);
  EXPECT_THAT(store.logged(Direction::out, 1), ElementsAre(2, 3));
  EXPECT_THAT(store.logged(Direction::in, 3), ElementsAre(1));
  EXPECT_THAT(store.logged_edges(), ElementsAre(Update{1, 2, false}, Update{1, 3, false}));
  store.buffer_all();
  EXPECT_THAT(store.logged_edges(), ElementsAre());
  EXPECT_THAT(store.buffered(Direction::out, 1), ElementsAre(2, 3));
  store.flush_all();
  EXPECT_THAT(store.buffered(Direction::out, 1), ElementsAre());
  EXPECT_THAT(store.flushed(Direction::out, 1), ElementsAre(2, 3));
  store.delete_edge(1, 2);
  const std::vector<LogEdge> straight = {{1, 4}};
  store.buffer_edges(straight);
  EXPECT_THAT(store.buffered(Direction::out, 1), ElementsAre(2 | kRemoval, 4));
  store.add_edge(1, 5);
  EXPECT_THAT(store.neighbours(Direction::out, 1), UnorderedElementsAre(3, 4, 5));
  EXPECT_THAT(store.neighbours(Direction::in, 2), ElementsAre());
  store.compact(1);
  EXPECT_THAT(store.flushed(Direction::out, 1), ElementsAre(3, 4, 5));
}

TEST(Store, ARemovalTakesOneOlderCopyAndNoNewerOne) {
  Store store(small_store());
  store.delete_edge(1, 2);  // of nothing
  store.add_edge(1, 2);
  store.add_edge(1, 2);
  store.delete_edge(1, 2);
  store.add_edge(1, 2);
  EXPECT_THAT(store.neighbours(Direction::out, 1), ElementsAre(2, 2));
  const auto snapshot = store.snapshot();
  snapshot->prepare(1);
  EXPECT_EQ(snapshot->removals_missed(), 1);
  EXPECT_EQ(snapshot->degree(Direction::in, 2), 2);
}

// Updates that follow move the entries from the log into a buffer, and on into chains.
TEST(Store, ARemovalTakesOneCopyWhereverEntriesStand) {
  for (VertexId further = 0; further < 300; further += 20) {
    StoreKnobs knobs = small_store();
    knobs.threshold = 6;
    Store store(knobs);
    for (const VertexId u : {1, 2, 1, 1}) store.add_edge(0, u);
    store.delete_edge(0, 1);
    store.delete_edge(0, 3);  // which is not there
    for (VertexId i = 0; i < further; ++i) store.add_edge(0, 2);
    store.delete_edge(0, 3);
    const std::vector<VertexId> list = store.neighbours(Direction::out, 0);
    EXPECT_EQ(std::count(list.begin(), list.end(), 1U), 2);
    EXPECT_EQ(std::count(list.begin(), list.end(), 2U), 1 + further);
    EXPECT_EQ(list.size(), 3 + further);
    EXPECT_THAT(store.neighbours(Direction::in, 1), ElementsAre(0, 0));
    const auto snapshot = store.snapshot();
    snapshot->prepare(1);
    EXPECT_EQ(snapshot->degree(Direction::out, 0), 3 + further);
    EXPECT_EQ(snapshot->removals_missed(), 2);
  }
}

TEST(Store, TheThresholdStartsPhases) {
  const auto stream = make_stream({.updates = 4096});
  const auto phases = [&](std::uint64_t threshold, bool exact) {
    return counters_after(small_store([&](auto& o) {
                            o.threshold = threshold;
                            o.exact_batches = exact;
                          }),
                          stream)
        .buffering_phases;
  };
  EXPECT_EQ(phases(512, true), 8);
  EXPECT_EQ(phases(1024, true), 4);
  EXPECT_EQ(phases(512, false), 1);  // all that is there
}

TEST(Store, TheLogsSizeDecidesWhenAllIsFlushed) {
  const auto stream = make_stream({.updates = 16384});
  const auto flushes = [&](std::uint64_t log, bool reuse) {
    return counters_after(small_store([&](auto& o) {
                            o.log_edges = log;
                            o.reuse_buffered = reuse;
                          }),
                          stream)
        .flushes;
  };
  EXPECT_EQ(flushes(2048, false), 7);  // before each lap but the first
  EXPECT_EQ(flushes(4096, false), 3);
  EXPECT_EQ(flushes(4096, true), 0);
}

TEST(Store, AFullPoolIsFlushedAndNeverOutgrown) {
  const auto stream = make_stream({.updates = 100000, .vertices = 40000});
  const auto counters = [&](std::uint64_t pool) {
    return counters_after(small_store([&](auto& o) {
                            o.reuse_buffered = true;  // or the log would be full before the pool
                            o.threshold = 64;
                            o.pool_bytes = pool;
                          }),
                          stream);
  };
  EXPECT_GT(counters(512 << 10).forced_flushes, 1);
  EXPECT_LE(counters(512 << 10).pool_bytes, 512 << 10);
  EXPECT_EQ(counters(16 << 20).forced_flushes, 0);
  EXPECT_GT(counters(16 << 20).pool_bytes, 512 << 10);
}

TEST(Store, LayersAreMovedUpAndSkipped) {
  std::vector<LogEdge> stream;
  for (VertexId i = 0; i < 62; ++i) stream.push_back({1, i + 100});
  const auto counters = [&](std::uint64_t threshold) {
    return counters_after(small_store([&](auto& o) {
                            o.exact_batches = true;
                            o.threshold = threshold;
                          }),
                          stream);
  };
  EXPECT_EQ(counters(1).moves, 4);   // 16, 32, 64, 128, 256 bytes
  EXPECT_EQ(counters(62).moves, 0);  // the batch outgrows all but the last
  EXPECT_EQ(counters(1).full_blocks, 0);
  // 256 bytes for the hub, 16 for each of its neighbours.
  EXPECT_EQ(counters(1).buffer_bytes, 256 + 62 * 16);
}

TEST(Store, AFullBufferIsOneBlockOfOneLine) {
  std::vector<LogEdge> stream;
  for (VertexId i = 0; i < 2 * 62 + 1; ++i) stream.push_back({1, 2});
  const StoreCounters counters = counters_after(small_store(), stream);
  EXPECT_EQ(counters.full_blocks, 4);  // two of each end
  EXPECT_EQ(counters.block_bytes, 4 * 256);
  EXPECT_EQ(counters.block_writes, 4);
}

TEST(Store, FixedBuffersTakeMoreThanLayers) {
  const auto stream = make_stream({.updates = 30000, .vertices = 20000});
  const auto bytes = [&](std::uint32_t least, std::uint32_t most) {
    return counters_after(small_store([&](auto& o) {
                            o.least_buffer = least;
                            o.most_buffer = most;
                            o.reuse_buffered = true;
                          }),
                          stream)
        .most_buffer_bytes;
  };
  EXPECT_EQ(bytes(256, 256), 2 * bytes(128, 128));
  EXPECT_LT(bytes(16, 256), bytes(128, 128) / 2);
}

TEST(Store, GraphOneWritesEdgeByEdge) {
  const auto stream = make_stream({.updates = 4096});
  const StoreCounters counters =
      counters_after(small_store([](auto& o) { o.archiving = Archiving::edge_by_edge; }), stream);
  EXPECT_EQ(counters.block_writes, 2 * stream.size());
  EXPECT_EQ(counters.most_buffer_bytes, 0);
}

TEST(Store, AModelIsToldOfLogAndBlocks) {
  const auto stream = make_stream({.updates = 40000, .vertices = 30000});
  const auto bus_writes = [&](auto&& change) {
    OptaneModel model({.cache_bytes = 4 << 10, .dimms = 1});
    StoreKnobs options = small_store([&](auto& o) {
      o.log_edges = 32768;
      o.threshold = 4096;
      o.exact_batches = true;
      change(o);
    });
    options.medium = &model;
    Store store(options);
    store.add_edges(stream);
    store.flush_all();
    model.drain();
    return model.counters().bus_writes;
  };
  const auto plain = bus_writes([](auto&) {});
  EXPECT_GT(plain, stream.size() * sizeof(LogEdge) / 64);
  EXPECT_LT(bus_writes([](auto& o) { o.reuse_buffered = true; }), plain);
  EXPECT_GT(bus_writes([](auto& o) { o.archiving = Archiving::edge_by_edge; }), 2 * plain);
}

// Counts writes by their bytes.
class CountingMedium final : public Medium {
 public:
  void wrote(std::uint64_t /*place*/, std::uint64_t bytes, const void* /*data*/) override {
    ++writes[bytes];
  }
  void read(std::uint64_t /*place*/, std::uint64_t /*bytes*/) override {}
  void flush(std::uint64_t /*place*/, std::uint64_t /*bytes*/) override {}
  std::map<std::uint64_t, unsigned> writes;
};

TEST(Store, GraphOneWritesALinkIntoTheBlockBefore) {
  CountingMedium medium;
  Store store(small_store([&](auto& o) {
    o.medium = &medium;
    o.archiving = Archiving::edge_by_edge;
  }));
  for (unsigned phase = 0; phase < 3; ++phase) {
    store.add_edge(1, 2);
    store.buffer_all();
  }
  // In two lists three blocks each: their entries and, of all but the first, a link to each.
  EXPECT_EQ(medium.writes[4], 6 + 4);
  EXPECT_EQ(medium.writes[8], 3 + 6);  // the log, and headers
}

TEST(Store, ClwbWritesBlocksBackAtOnce) {
  std::vector<LogEdge> stream(20000, LogEdge{1, 2});
  const auto writes = [&](bool clwb) {
    OptaneModel model({.cache_bytes = 1 << 20, .dimms = 1});
    Store store(small_store([&](auto& o) {
      o.medium = &model;
      o.clwb = clwb;
    }));
    store.add_edges(stream);
    return model.counters().bus_writes;  // without what is still in the cache
  };
  EXPECT_GT(writes(true), writes(false));
}

TEST(Store, AFarVertexCostsNothingForThoseBeforeIt) {
  Store store(small_store());
  constexpr VertexId kFar = 2'000'000'000;
  store.add_edge(1, kFar);
  store.flush_all();
  store.compact_all();
  EXPECT_THAT(store.neighbours(Direction::in, kFar), ElementsAre(1));
  EXPECT_THAT(store.neighbours(Direction::in, kFar - 1), ElementsAre());
}

TEST(Store, RefusesWhatItCannotHold) {
  Store store(small_store());
  EXPECT_THROW(store.add_edge(kMostVertices, 1), Error);
  EXPECT_THROW(store.add_edge(1, kMostVertices), Error);
  EXPECT_EQ(store.counters().updates, 0);
  EXPECT_EQ(store.vertices(), 0);
  EXPECT_THROW(Store(small_store([](auto& o) { o.log_edges = 100; })), Error);
  EXPECT_THROW(Store(small_store([](auto& o) { o.threshold = 5000; })), Error);
  EXPECT_THROW(Store(small_store([](auto& o) { o.most_buffer = 100; })), Error);
  EXPECT_THROW(Store(small_store([](auto& o) { o.least_buffer = 512; })), Error);
  EXPECT_THROW(Store(small_store([](auto& o) { o.pool_bytes = 1 << 16; })), Error);
}

}  // namespace

}  // namespace outcore::evolving
