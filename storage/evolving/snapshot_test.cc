// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/snapshot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "common/hash.h"
#include "storage/container/container.h"
#include "storage/evolving/freeze.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

namespace {

StoreKnobs snapshot_store() {
  StoreKnobs options;
  options.threads = 2;
  options.log_edges = 2048;
  options.threshold = 256;
  options.bulk_bytes = std::uint64_t{1} << 16;
  return options;
}

void expect_prefix(Snapshot& snapshot, const std::vector<LogEdge>& stream) {
  snapshot.prepare(2);
  const EdgeMultiset expected(std::span<const LogEdge>{stream}.first(snapshot.updates()), false);
  EXPECT_EQ(snapshot.removals_missed(), expected.missed());
  for (const Direction direction : {Direction::out, Direction::in}) {
    EXPECT_EQ(lists_of(snapshot, direction), lists_of(expected, snapshot.vertices(), direction));
  }
}

TEST(Snapshot, StaysThePrefixThatItWas) {
  const auto stream = make_stream({.updates = 12000, .removals = 0.3});
  Store store(snapshot_store());
  std::vector<std::shared_ptr<Snapshot>> snapshots;
  for (std::size_t at = 0; at < stream.size(); at += 1111) {
    store.add_edges(std::span(stream).subspan(at, std::min<std::size_t>(1111, stream.size() - at)));
    snapshots.push_back(store.snapshot());
    if (at / 1111 == 4) store.compact_all();
    if (at / 1111 == 7) store.flush_all();
    if (snapshots.size() > 4) snapshots.erase(snapshots.begin() + 1);  // some end before others
  }
  for (const auto& snapshot : snapshots) expect_prefix(*snapshot, stream);
}

TEST(Snapshot, OutlivesItsStore) {
  const auto stream = make_stream({.updates = 3000, .removals = 0.1});
  std::shared_ptr<Snapshot> snapshot;
  {
    Store store(snapshot_store());
    store.add_edges(stream);
    snapshot = store.snapshot();
  }
  expect_prefix(*snapshot, stream);
}

TEST(Snapshot, CopiesWhatChangesAfterItAndNothingElse) {
  const auto copied = [](bool snapshots, VertexId vertices) {
    Store store(snapshot_store());
    const auto stream = make_stream({.updates = 4000, .vertices = vertices});
    store.add_edges(stream);
    const auto held = snapshots ? store.snapshot() : nullptr;
    store.add_edges(stream);
    store.add_edges(stream);
    return store.counters().copied_partitions;
  };
  EXPECT_EQ(copied(false, 30000), 0);
  EXPECT_EQ(copied(true, 30000), 2 * 4);  // each partition of each direction once
  EXPECT_EQ(copied(true, 8000), 2);
}

TEST(Snapshot, AnEndedOneHoldsNothing) {
  Store store(snapshot_store());
  const auto stream = make_stream({.updates = 4000});
  store.add_edges(stream);
  store.snapshot().reset();
  store.add_edges(stream);
  EXPECT_EQ(store.counters().copied_partitions, 0);
}

// The sum of a hash of every edge: of equal multisets it is equal.
std::uint64_t digest_of(Snapshot& snapshot, Direction direction) {
  ListReader reader(snapshot);
  std::uint64_t sum = 0;
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    reader.for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
      for (const VertexId u : piece)
        sum += direction == Direction::out ? mix(std::uint64_t{v} << 32 | u)
                                           : mix(std::uint64_t{u} << 32 | v);
    });
  }
  return sum;
}

// The digest after so many updates, from 0.
std::vector<std::uint64_t> digests_of(std::span<const LogEdge> stream) {
  std::vector<std::uint64_t> digests(stream.size() + 1);
  std::map<std::pair<VertexId, VertexId>, std::uint64_t> counts;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const Update update = as_update(stream[i]);
    std::uint64_t& count = counts[{update.source, update.target}];
    const std::uint64_t hash = mix(std::uint64_t{update.source} << 32 | update.target);
    digests[i + 1] = digests[i];
    if (!update.removes) digests[i + 1] += hash, ++count;
    if (update.removes && count > 0) digests[i + 1] -= hash, --count;
  }
  return digests;
}

std::uint64_t digest_of_frozen(const Snapshot& snapshot) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "frozen_now";
  freeze(snapshot, folder, {.threads = 1, .force = true});
  Container container(folder);
  const CsrView lists = container.csr(Direction::out);
  std::uint64_t sum = 0;
  for (VertexId v = 0; v < lists.vertices(); ++v) {
    for (const VertexId u : lists.list(v)) sum += mix(std::uint64_t{v} << 32 | u);
  }
  return sum;
}

// Run under the thread sanitizer, this is the test of the store's memory orders.
TEST(Snapshot, ReadersSeePrefixesWhileTheStoreGoesOnAndIsCompactedAndFrozen) {
  constexpr std::size_t kUpdates = 20000;
  constexpr std::size_t kPortion = 500;
  const auto stream = make_stream({.updates = kUpdates, .vertices = 20000, .removals = 0.2});
  const std::vector<std::uint64_t> digests = digests_of(stream);
  Store store(snapshot_store());
  store.add_edges(std::span(stream).first(kPortion));
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> read{0};
  std::atomic<std::uint64_t> frozen{0};
  const auto read_on = [&] {
    for (; !done; ++read) {
      const auto snapshot = store.snapshot();
      snapshot->prepare(1);
      EXPECT_EQ(digest_of(*snapshot, Direction::out), digests[snapshot->updates()]);
      EXPECT_EQ(digest_of(*snapshot, Direction::in), digests[snapshot->updates()]);
    }
  };
  const auto freeze_on = [&] {
    for (; !done; ++frozen) {
      const auto snapshot = store.snapshot();
      snapshot->prepare(1);
      EXPECT_EQ(digest_of_frozen(*snapshot), digests[snapshot->updates()]);
    }
  };
  const auto compact_on = [&] {
    for (std::uint64_t after = 2; !done; std::this_thread::yield()) {
      if (read < after) continue;
      store.compact_all();
      after = read + 2;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 0; i < 4; ++i) others.emplace_back(read_on);
    others.emplace_back(freeze_on);
    others.emplace_back(compact_on);
    for (std::size_t at = kPortion; at < kUpdates; at += kPortion) {
      store.add_edges(std::span(stream).subspan(at, kPortion));
      if (at % 5000 == 0) store.flush_all();
      while (read < at / 2500) std::this_thread::yield();  // readers keep up, on one core too
    }
    while (frozen < 2 || store.counters().compactions < 2) std::this_thread::yield();
    done = true;
  }
  EXPECT_GE(read, kUpdates / 2500 - 1);
}

}  // namespace

}  // namespace outcore::evolving
