// SPDX-License-Identifier: Apache-2.0
// A durable store's lists where they lie: what stands is what its updates make, from runs, what is
// gone of them, and the log.
#include "storage/evolving/stored_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"
#include "tests/toy_durable_store.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr VertexId kIdsStored = 500;
constexpr std::size_t kFlushedOfStream = 6000;  // two runs
constexpr std::size_t kStream = 9000;

class Stored : public ::testing::Test {
 public:
  ~Stored() override { fs::remove_all(folder_); }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

 protected:
  Stored() : folder_(fs::path(::testing::TempDir()) / "stored_lists_test") { make(0.3); }

  void make(double removals) {
    stream_ = make_stream({.updates = kStream, .vertices = kIdsStored, .removals = removals});
    make_toy_store(folder_, stream_, kFlushedOfStream, kIdsStored);
  }
  [[nodiscard]] std::string message_of_opening() const {
    try {
      static_cast<void>(open_stored_lists(folder_, {}));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "none";
  }

  const fs::path folder_;
  std::vector<LogEdge> stream_;
};

std::vector<std::byte> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  std::vector<std::byte> padded(bytes.begin(), bytes.end());
  padded.resize(padded.size() + kReadAhead);
  return padded;
}

// The list as its parts say it, sorted.
std::vector<VertexId> list_of(const StoredLists& stored, Direction direction, VertexId v) {
  const StoredLists::Side& side = stored.side(direction);
  const auto logged = side.logged.find(v);
  std::vector<VertexId> list(logged.begin(), logged.end());
  for (const StoredRun& run : side.runs) {
    if (run.index.degree(v) == 0) continue;
    const std::vector<std::byte> blocks = bytes_of(stored.lists().block_files()[run.file].path);
    const ListAddress address = run.index.address(v);
    std::vector<VertexId> room(most_ids(4096));
    for (BlockId b = run.index.first_block(address); b <= run.index.last_block(address); ++b) {
      const auto part = run.standing(v, address, run.index.part(address, b),
                                     blocks.data() + b * 4096, room.data());
      list.insert(list.end(), part.ids.begin(), part.ids.end());
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

// By the store's codec and the bytes of an id in the newer runs.
class StoredIdsOf : public Stored,
                    public ::testing::WithParamInterface<std::pair<const char*, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Forms, StoredIdsOf,
                         ::testing::Values(std::pair("raw", 4), std::pair("raw", 3),
                                           std::pair("svb", 4), std::pair("svb", 3),
                                           std::pair("varint", 4), std::pair("varint", 3)));

TEST_P(StoredIdsOf, HoldWhatTheirUpdatesMake) {
  const auto [codec, id_bytes] = GetParam();
  make_toy_store(folder_, stream_, kFlushedOfStream, kIdsStored, id_bytes, codec);
  for (const std::uint64_t prefix : {kStream, kFlushedOfStream, kFlushedOfStream + 1}) {
    const StoredLists stored = open_stored_lists(folder_, prefix);
    const std::span<const LogEdge> first(stream_.data(), prefix);
    const EdgeMultiset expected(first, false);
    EXPECT_EQ(stored.counts().prefix, prefix);
    EXPECT_EQ(stored.counts().logged, prefix - kFlushedOfStream);
    EXPECT_EQ(stored.side(Direction::in).runs[1].id_bytes, id_bytes);
    EXPECT_EQ(stored.side(Direction::in).runs[1].is_coded, codec != std::string("raw"));
    EXPECT_EQ(stored.lists().facts().edges, expected.edges());
    EXPECT_EQ(stored.counts().removals_missed, expected.missed());
    for (const Direction direction : {Direction::out, Direction::in}) {
      const auto lists = lists_of(expected, kIdsStored, direction);
      for (VertexId v = 0; v < kIdsStored; ++v) {
        ASSERT_EQ(list_of(stored, direction, v), lists[v]) << v;
        ASSERT_EQ(stored.lists().index(direction).degree(v), lists[v].size()) << v;
      }
    }
  }
}

TEST_F(Stored, ResolveTheListsFromWhichSomethingWasRemoved) {
  std::uint64_t before = 0;
  for (const double removals : {0.0, 0.02, 0.5}) {
    make(removals);
    const StoredLists stored = open_stored_lists(folder_, {});
    const auto gone = [&](const StoredRun& run) { return run.gone.count() > 0; };
    const std::vector<StoredRun>& runs = stored.side(Direction::out).runs;
    EXPECT_EQ(std::any_of(runs.begin(), runs.end(), gone), removals > 0);
    EXPECT_EQ(stored.counts().tombstones > 0, removals > 0);
    if (removals == 0) {
      EXPECT_EQ(stored.counts().resolved_lists, 0U);
    } else {
      EXPECT_GT(stored.counts().resolved_lists, before);
    }
    before = stored.counts().resolved_lists;
  }
}

TEST_F(Stored, MayBeInTheLogAlone) {
  const std::span<const LogEdge> few(stream_.data(), 100);
  make_toy_store(folder_, few, 0, kIdsStored);
  const StoredLists stored = open_stored_lists(folder_, {});
  EXPECT_EQ(stored.lists().facts().edges, EdgeMultiset(few, false).edges());
  ASSERT_EQ(stored.lists().block_files().size(), 1U);
  EXPECT_EQ(stored.lists().block_files().front().blocks(), 0U);
}

TEST_F(Stored, OfOneRunHaveNothingGone) {
  compact_store(folder_);
  const StoredLists stored = open_stored_lists(folder_, kFlushedOfStream);
  ASSERT_EQ(stored.side(Direction::out).runs.size(), 1U);
  EXPECT_EQ(stored.side(Direction::out).runs.front().gone.size(), 0U);
  EXPECT_EQ(stored.counts().tombstones, 0U);
}

TEST_F(Stored, RefuseAPrefixThatRunsDoNotTellApart) {
  EXPECT_THROW(open_stored_lists(folder_, kFlushedOfStream - 1), Error);
  EXPECT_THROW(open_stored_lists(folder_, kStream + 1), Error);
}

// Of the blocks opening reads those of lists from which something was removed.
TEST_F(Stored, SayWhichFileIsDamaged) {
  const auto flip = [&](const std::string& name, std::streamoff at) {
    std::fstream file(folder_ / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(at);
    file.put(byte);
  };
  for (const char* name : {"run-000002/out.index", "run-000002/in.tombstones",
                           "run-000001/out.sums", "run-000001/in.blocks"}) {
    flip(name, 5);
    EXPECT_THAT(message_of_opening(), HasSubstr(name));
    flip(name, 5);
  }
  EXPECT_EQ(message_of_opening(), "none");
}

// Of several coded runs merging makes one, which is a layout: all its lists are coded.
TEST_F(Stored, OfOneCodedRunAreReadInPlace) {
  for (const char* codec : {"svb", "varint"}) {
    make_toy_store(folder_, stream_, kFlushedOfStream, kIdsStored, 3, codec);
    compact_store(folder_);
    const StoredLists stored = open_stored_lists(folder_, {});
    const std::vector<StoredRun>& runs = stored.side(Direction::out).runs;
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_TRUE(runs.front().is_coded && runs.front().ends.empty());
    const EdgeMultiset expected(stream_, false);
    for (const Direction direction : {Direction::out, Direction::in}) {
      const auto lists = lists_of(expected, kIdsStored, direction);
      for (VertexId v = 0; v < kIdsStored; ++v) ASSERT_EQ(list_of(stored, direction, v), lists[v]);
    }
  }
}

}  // namespace
}  // namespace outcore::evolving
