// SPDX-License-Identifier: Apache-2.0
// A durable store in memory: what stands is what its updates make, from runs and from the log.
#include "storage/evolving/load_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "common/error.h"
#include "storage/evolving/canonical_lists.h"
#include "storage/evolving/multiset_for_tests.h"
#include "tests/toy_durable_store.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr VertexId kIds = 500;
constexpr std::size_t kFlushed = 6000;  // two runs
constexpr std::size_t kTaken = 9000;

class LoadedStores : public ::testing::Test {
 public:
  ~LoadedStores() override { fs::remove_all(folder_); }
  LoadedStores(const LoadedStores&) = delete;
  LoadedStores& operator=(const LoadedStores&) = delete;

 protected:
  LoadedStores() : folder_(fs::path(::testing::TempDir()) / "load_store_test") {
    make_toy_store(folder_, stream_, kFlushed, kIds);
  }

  [[nodiscard]] LoadedStore load(const std::string& spec,
                                 std::optional<std::uint64_t> prefix = {}) const {
    return load_store(folder_, {.spec = parse_store_spec(spec), .threads = 2, .prefix = prefix});
  }

  [[nodiscard]] std::span<const LogEdge> first(std::uint64_t updates) const {
    return {stream_.data(), updates};
  }

  const fs::path folder_;
  // Many edges come twice, and go.
  const std::vector<LogEdge> stream_ =
      make_stream({.updates = kTaken, .vertices = kIds, .removals = 0.3});
};

std::vector<VertexId> sorted_list(const Snapshot& snapshot, Direction direction, VertexId v) {
  std::vector<VertexId> list;
  ListReader(snapshot).for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
    list.insert(list.end(), piece.begin(), piece.end());
  });
  std::sort(list.begin(), list.end());
  return list;
}

TEST_F(LoadedStores, HoldWhatTheirUpdatesMake) {
  for (const std::uint64_t prefix : {kTaken, kFlushed, kFlushed + 1, kTaken - 7}) {
    const LoadedStore loaded = load("evolving:threshold=1024", prefix);
    const Snapshot& snapshot = loaded.graph->snapshot();
    const EdgeMultiset expected(first(prefix), false);
    EXPECT_EQ(loaded.prefix, prefix);
    EXPECT_EQ(loaded.graph->facts().edges, expected.edges());
    EXPECT_EQ(loaded.removals_missed, expected.missed());
    for (VertexId v = 0; v < snapshot.vertices(); ++v) {
      for (const Direction direction : {Direction::out, Direction::in}) {
        ASSERT_EQ(sorted_list(snapshot, direction, v), expected.neighbours(direction, v)) << v;
      }
    }
  }
}

TEST_F(LoadedStores, LieAsAfterARecovery) {
  const LoadedStore loaded = load("evolving:threshold=1024");
  EXPECT_EQ(loaded.runs, 2U);
  EXPECT_GT(loaded.tombstones, 0U);
  EXPECT_EQ(loaded.logged, 0U);  // the whole log is one phase
  EXPECT_GT(loaded.buffered, 0U);
  EXPECT_GT(loaded.flushed, 0U);
  EXPECT_EQ(load("evolving").logged, kTaken - kFlushed);  // less than a threshold
}

TEST_F(LoadedStores, AreTheSameAfterTheirRunsWereMerged) {
  const std::uint64_t edges = load("evolving").graph->facts().edges;
  compact_store(folder_);
  const LoadedStore loaded = load("evolving");
  EXPECT_EQ(loaded.runs, 1U);
  EXPECT_EQ(loaded.tombstones, 0U);
  EXPECT_EQ(loaded.graph->facts().edges, edges);
}

TEST_F(LoadedStores, RefusePrefixesThatTheyCannotGive) {
  for (const std::uint64_t prefix : {std::uint64_t{kFlushed - 1}, std::uint64_t{kTaken + 1}}) {
    try {
      static_cast<void>(load("evolving", prefix));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr("take a prefix from 6000 to 9000"));
    }
  }
}

// In a symmetric store those of the edges that lead to v too; a loop is one edge.
std::vector<VertexId> neighbours(const EdgeMultiset& edges, Direction direction, VertexId v,
                                 bool symmetric) {
  std::vector<VertexId> list = edges.neighbours(direction, v);
  if (!symmetric) return list;
  const Direction back = direction == Direction::out ? Direction::in : Direction::out;
  for (const VertexId u : edges.neighbours(back, v)) {
    if (u != v) list.push_back(u);
  }
  std::sort(list.begin(), list.end());
  return list;
}

// `stream` is what the store was made of.
void expect_mirrored(const LoadedStore& loaded, std::span<const LogEdge> stream) {
  const Snapshot& snapshot = loaded.graph->snapshot();
  const EdgeMultiset expected(stream, false);
  EXPECT_TRUE(loaded.graph->facts().symmetric);
  EXPECT_EQ(loaded.removals_missed, expected.missed());
  EXPECT_EQ(loaded.buffered + loaded.logged, 0U) << "compact lists are chains";
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    ASSERT_EQ(sorted_list(snapshot, Direction::out, v),
              neighbours(expected, Direction::out, v, true));
  }
}

TEST_F(LoadedStores, AreMirroredWhereTheyAreOpenedAsSymmetric) {
  expect_mirrored(load("evolving:lists=symmetric"), stream_);
  compact_store(folder_);
  expect_mirrored(load("evolving:lists=symmetric"), stream_);
  expect_mirrored(load("evolving:lists=symmetric", kFlushed), first(kFlushed));
}

TEST_F(LoadedStores, WithoutRemovalsAreMirroredAsTheyComeIn) {
  const std::vector<LogEdge> added = make_stream({.updates = kTaken, .vertices = kIds / 10});
  fs::remove_all(folder_);
  make_toy_store(folder_, added, kFlushed, kIds);
  expect_mirrored(load("evolving:lists=symmetric"), added);
  compact_store(folder_);
  expect_mirrored(load("evolving:lists=symmetric"), added);
  EXPECT_EQ(load("evolving:lists=symmetric").tombstones, 0U);
}

TEST_F(LoadedStores, HaveTheCanonicalListsOfTheirStream) {
  const fs::path file = folder_ / "stream.txt";
  {
    std::ofstream text(file);
    for (const LogEdge& logged : stream_) {
      const Update update = as_update(logged);
      text << (update.removes ? "- " : "+ ") << update.source << ' ' << update.target << '\n';
    }
  }
  for (const bool symmetric : {false, true}) {
    for (const std::uint64_t prefix : {kTaken, kFlushed + 100}) {
      const EdgeMultiset expected(first(prefix), false);
      const CanonicalLists of_store = canonical_lists_of_store(folder_, prefix, symmetric, kIds);
      const CanonicalLists of_stream = canonical_lists_of_stream(file, {}, prefix, symmetric, kIds);
      for (const CanonicalLists* lists : {&of_store, &of_stream}) {
        for (const Direction direction : {Direction::out, Direction::in}) {
          for (VertexId v = 0; v < kIds; ++v) {
            const auto list = lists->csr(direction).list(v);
            ASSERT_EQ(std::vector<VertexId>(list.begin(), list.end()),
                      neighbours(expected, direction, v, symmetric));
          }
        }
      }
    }
  }
  // Where edges have no direction, a removal takes the other direction's copy too.
  const EdgeMultiset undirected(first(kTaken), true);
  const CanonicalLists lists = canonical_lists_of_undirected_stream(file, {}, kTaken, kIds);
  for (const Direction direction : {Direction::out, Direction::in}) {
    for (VertexId v = 0; v < kIds; ++v) {
      const auto list = lists.csr(direction).list(v);
      ASSERT_EQ(std::vector<VertexId>(list.begin(), list.end()),
                undirected.neighbours(direction, v));
    }
  }
  EXPECT_THROW(canonical_lists_of_stream(file, {}, kTaken + 1, false, kIds), Error);
  EXPECT_THROW(canonical_lists_of_stream(file, {}, kTaken, false, kIds / 2), Error);
}

}  // namespace
}  // namespace outcore::evolving
