// SPDX-License-Identifier: Apache-2.0
// The durable store in a real folder; tests/crash has what happens to it when power is cut.
#include "storage/evolving/durable/durable_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "storage/evolving/durable/real_disk.h"
#include "storage/layout/expect_same_graph.h"
#include "tests/sanitized.h"
#include "tests/toy_container.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Lists = std::map<VertexId, std::vector<ListUpdate>>;

class ListChanges final : public ChangeSource {
 public:
  explicit ListChanges(Lists lists) : lists_(std::move(lists)) {}
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    changes.clear();
    while (changes.empty() && !lists_.empty()) {
      vertex = lists_.begin()->first;
      changes_of(lists_.begin()->second, changes);
      lists_.erase(lists_.begin());
    }
    return !changes.empty();
  }

 private:
  Lists lists_;
};

constexpr DurableStore::Opening kWrite{.access = Access::write, .salvage = false};
constexpr DurableStore::Opening kRead{};

class DurableStores : public ::testing::Test {
 protected:
  DurableStores() : folder_(fs::path(::testing::TempDir()) / "durable_store_test") {
    fs::remove_all(folder_);
    RealDisk::make(folder_);
    disk_ = std::make_unique<RealDisk>(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void create(VertexId vertices, std::uint64_t pages, unsigned id_bytes = 4,
              const std::string& codec = "raw") {
    DurableStore::create(
        *disk_, {.limit = vertices, .log_pages = pages, .id_bytes = id_bytes, .codec = codec});
  }
  // Opens the store; what was replayed is in replayed_.
  std::unique_ptr<DurableStore> open(DurableStore::Opening opening) {
    replayed_.clear();
    return std::make_unique<DurableStore>(*disk_, opening, [&](std::span<const Update> updates) {
      replayed_.insert(replayed_.end(), updates.begin(), updates.end());
    });
  }
  static void flush(DurableStore& store, std::span<const Update> updates) {
    Lists out;
    Lists in;
    for (const Update& update : updates) {
      out[update.source].push_back({update.target, update.removes});
      in[update.target].push_back({update.source, update.removes});
    }
    ListChanges out_changes(std::move(out));
    ListChanges in_changes(std::move(in));
    store.flush(store.flushed() + updates.size(), store.limit(), out_changes, in_changes);
  }
  static std::map<std::pair<VertexId, VertexId>, std::uint32_t> copies(DurableStore& store,
                                                                       Direction direction) {
    std::map<std::pair<VertexId, VertexId>, std::uint32_t> copies;
    const auto changes = store.read(direction);
    VertexId vertex = 0;
    std::vector<PairChange> list;
    while (changes->next(vertex, list)) {
      for (const PairChange& change : list) copies[{vertex, change.neighbour}] = change.adds;
    }
    return copies;
  }

  fs::path folder_;
  std::unique_ptr<RealDisk> disk_;
  std::vector<Update> replayed_;
};

std::vector<Update> some_updates(std::size_t count, VertexId vertices) {
  std::vector<Update> updates(count);
  for (std::size_t i = 0; i < count; ++i) {
    updates[i] = {static_cast<VertexId>(i * 7 % vertices), static_cast<VertexId>(i * i % vertices),
                  i % 5 == 4};
  }
  return updates;
}

// Many short lists and some long ones, with vertices up to 2^24 - 1.
std::vector<Update> spread_updates(std::size_t count) {
  std::vector<Update> updates(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = [&](std::size_t step) { return static_cast<VertexId>(i * step % kNarrowIds); };
    updates[i] = {i % 3 == 0 ? static_cast<VertexId>(i % 5) : kNarrowIds - 1 - id(40503), id(65599),
                  i % 7 == 6};
  }
  return updates;
}

TEST_F(DurableStores, WithIdsOfThreeBytesHoldTheSameInFewerBytes) {
  if (kThreadSanitized) GTEST_SKIP() << "one thread, and folders of 16 million vertices";
  const std::vector<Update> updates = spread_updates(30000);
  std::map<unsigned, DurableCounters> counters;
  std::map<unsigned, std::map<std::pair<VertexId, VertexId>, std::uint32_t>> found;
  for (const unsigned id_bytes : {4U, 3U}) {
    TearDown();
    RealDisk::make(folder_);
    create(kNarrowIds, 64, id_bytes);
    {
      const auto store = open(kWrite);
      for (std::size_t at = 0; at < updates.size(); at += 10000) {
        const std::span<const Update> part = std::span(updates).subspan(at, 10000);
        EXPECT_EQ(store->append(part), part.size());
        store->commit();
        if (at < 20000) flush(*store, part);
      }
      counters[id_bytes] = store->counters();
    }
    const auto store = open(kWrite);
    EXPECT_EQ(store->id_bytes(), id_bytes);
    EXPECT_TRUE(
        std::equal(replayed_.begin(), replayed_.end(), updates.begin() + 20000, updates.end()));
    flush(*store, std::span(updates).subspan(20000));
    EXPECT_EQ(store->runs().size(), 3U);
    found[id_bytes] = copies(*store, Direction::out);
    auto in = copies(*store, Direction::in);
    for (const auto& [edge, count] : found[id_bytes])
      ASSERT_EQ((in[{edge.second, edge.first}]), count);
    store->compact();
    EXPECT_EQ(copies(*store, Direction::out), found[id_bytes]);
  }
  EXPECT_EQ(found[3], found[4]);
  // Three groups of 10,000 updates. Of the two runs of 10,000 the first has ids of 4 bytes in both.
  EXPECT_EQ(counters[4].log_bytes, 3U * 20 * 4096);
  EXPECT_EQ(counters[3].log_bytes, 3U * 16 * 4096);
  const auto additions = static_cast<std::uint64_t>(
      std::count_if(updates.begin() + 10000, updates.begin() + 20000,
                    [](const Update& update) { return !update.removes; }));
  const auto blocks = [&](std::uint64_t slots) { return (additions + slots - 1) / slots; };
  const std::uint64_t fewer = blocks(1024) - blocks(1365);  // with a checksum each
  EXPECT_EQ(counters[4].run_bytes - counters[3].run_bytes, 2 * fewer * (4096 + 4));
}

// Lists of every length that a run treats in its own way: of one edge to many blocks, with equal
// ids, with gaps of 1 to 4 bytes, and such as end a few bytes before a block does.
std::vector<Update> updates_of_all_lengths() {
  std::vector<Update> updates;
  for (VertexId v = 0; v < 1200; ++v) {
    const VertexId gap = 1U << (v * 7 % 14);
    for (VertexId i = 0; i <= v % 37; ++i) updates.push_back({v, i / 2 * gap, false});
  }
  for (VertexId i = 0; i < 9000; ++i) updates.push_back({700, i * 1009 % 2000003, i % 11 == 10});
  return updates;
}

TEST_F(DurableStores, OfACodecHoldTheSameInFewerBytes) {
  constexpr VertexId kLimit = 1U << 21;
  const std::vector<Update> updates = updates_of_all_lengths();
  const std::span<const Update> all(updates);
  const std::size_t first = updates.size() / 3;
  using CopiesOfEdges = std::map<std::pair<VertexId, VertexId>, std::uint32_t>;
  for (const unsigned id_bytes : {4U, 3U}) {
    std::map<std::string, std::uint64_t> run_bytes;
    std::map<std::string, CopiesOfEdges> found;
    for (const std::string codec : {"raw", "svb", "varint"}) {
      TearDown();
      RealDisk::make(folder_);
      create(kLimit, 200, id_bytes, codec);
      const auto store = open(kWrite);
      ASSERT_EQ(store->append(all), all.size());
      store->commit();
      flush(*store, all.first(first));
      // The index of a coded layout would outweigh what the codec saves.
      EXPECT_EQ(store->runs()[0].codec, "raw");
      flush(*store, all.subspan(first));
      EXPECT_EQ(store->runs()[1].codec, codec);
      EXPECT_EQ(store->codec(), codec);
      run_bytes[codec] = store->counters().run_bytes;
      found[codec] = copies(*store, Direction::out);
      EXPECT_EQ(copies(*store, Direction::in).size(), found[codec].size());
      // From a vertex on, what is before it is passed over without its blocks.
      for (const VertexId from : {VertexId{699}, VertexId{700}, VertexId{1199}}) {
        StandingCopies rest(store->open_runs(Direction::out, from));
        VertexId vertex = 0;
        std::vector<PairChange> list;
        ASSERT_TRUE(rest.next(vertex, list));
        EXPECT_EQ(vertex, from);
        for (const PairChange& change : list)
          EXPECT_EQ(change.adds, (found[codec][{vertex, change.neighbour}]));
      }
      store->compact();
      EXPECT_EQ(store->runs()[0].codec, codec);
      EXPECT_EQ(copies(*store, Direction::out), found[codec]);
    }
    EXPECT_EQ(found["svb"], found["raw"]);
    EXPECT_EQ(found["varint"], found["raw"]);
    EXPECT_LT(run_bytes["svb"], run_bytes["raw"]);
    EXPECT_LT(run_bytes["varint"], run_bytes["raw"]);
  }
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(DurableStores, OfOneCodedRunAreTheLayoutOfThatCodecByteForByte) {
  Shape shape{.name = "of a store", .vertices = 12'000, .edges = {}};
  for (VertexId i = 0; i < 9'000; ++i) shape.edges.push_back({5, i});
  for (VertexId v = 0; v < 11'000; ++v)
    for (VertexId i = 1; i <= v % 9; ++i) shape.edges.push_back({v, (v + i * i * 97) % 11'999});
  const ToyContainer imported(shape, false);
  std::vector<Update> updates;
  Container container(imported.folder());
  const CsrView csr = container.csr(Direction::out);
  for (VertexId v = 0; v < csr.vertices(); ++v)
    for (const VertexId u : csr.list(v)) updates.push_back({v, u, false});
  for (const std::string codec : {"svb", "varint"}) {
    TearDown();
    RealDisk::make(folder_);
    create(shape.vertices, 200, 4, codec);
    const auto store = open(kWrite);
    ASSERT_EQ(store->append(updates), updates.size());
    store->commit();
    flush(*store, updates);
    store->compact();  // in the codec
    const fs::path run = folder_ / store->runs()[0].name;
    const fs::path layout = imported.layout(LayoutChoices{.pack = "csr", .codec = codec});
    for (const char* const file : {"out.blocks", "out.sums", "out.index", "out.long", "in.blocks",
                                   "in.sums", "in.index", "in.long"})
      EXPECT_TRUE(bytes_of(run / file) == bytes_of(layout / file)) << codec << ": " << file;
    EXPECT_EQ(Layout(run).facts().most_vertices_in_a_block,
              Layout(layout).facts().most_vertices_in_a_block);
    EXPECT_EQ(Layout(run).facts().longest_list, Layout(layout).facts().longest_list);
  }
}

TEST_F(DurableStores, RefuseIdsThatDoNotFitTheirBytes) {
  EXPECT_THROW(create(kNarrowIds + 1, 16, 3), Error);
  EXPECT_THROW(create(100, 16, 2), Error);
  EXPECT_THROW(create(100, 16, 4, "gzip"), Error);
  create(kNarrowIds, 16, 3);
  const auto store = open(kWrite);
  const Update update{kNarrowIds, 0, false};
  EXPECT_THROW(store->append({&update, 1}), Error);
}

TEST_F(DurableStores, ReplayWhatWasCommittedAndNoRunHas) {
  create(100, 16);
  const std::vector<Update> updates = some_updates(1700, 100);
  {
    const auto store = open(kWrite);
    EXPECT_EQ(store->append(updates), 1700U);
    EXPECT_EQ(store->acknowledged(), 0U);
    EXPECT_EQ(store->commit(), 1700U);
    EXPECT_EQ(store->counters().log_bytes, 4U * 4096);
    flush(*store, std::span(updates).first(1200));
    EXPECT_EQ(store->flushed(), 1200U);
  }
  const auto store = open(kRead);
  EXPECT_EQ(store->acknowledged(), 1700U);
  EXPECT_EQ(replayed_, std::vector<Update>(updates.begin() + 1200, updates.end()));
}

TEST_F(DurableStores, UseTheLogRoundAndRound) {
  create(100, 4);
  const std::vector<Update> updates = some_updates(9000, 100);
  auto store = open(kWrite);
  std::size_t taken = 0;
  while (taken < updates.size()) {
    taken += store->append(std::span(updates).subspan(taken));
    store->commit();
    EXPECT_LE(taken - store->flushed(), 4 * LogPage::kUpdates);
    EXPECT_EQ(store->log_full(), taken - store->flushed() == 4 * LogPage::kUpdates);
    flush(*store, std::span(updates).subspan(store->flushed(), taken - store->flushed()));
  }
  EXPECT_EQ(fs::file_size(folder_ / "log"), 4U * 4096);
  store.reset();
  EXPECT_EQ(open(kRead)->acknowledged(), 9000U);
  EXPECT_TRUE(replayed_.empty());
}

TEST_F(DurableStores, MergeRunsByTiersAndIntoOne) {
  create(10, 8);
  const auto store = open(kWrite);
  const std::vector<Update> updates = {{1, 2, false}, {1, 2, false}, {1, 2, true},  {3, 1, true},
                                       {1, 2, true},  {1, 2, true},  {1, 2, false}, {3, 1, false}};
  store->append(updates);
  store->commit();
  for (std::size_t i = 0; i < updates.size(); i += 2) {
    flush(*store, std::span(updates).subspan(i, 2));
    EXPECT_EQ(store->merge_tier(4), i == 6);
  }
  ASSERT_EQ(store->runs().size(), 1U);
  EXPECT_EQ(store->runs()[0].tier, 1U);
  EXPECT_EQ(store->runs()[0].updates.after, 0U);
  EXPECT_EQ(store->runs()[0].updates.last, 8U);
  EXPECT_EQ(copies(*store, Direction::out),
            (std::map<std::pair<VertexId, VertexId>, std::uint32_t>{{{1, 2}, 1}, {{3, 1}, 1}}));
  EXPECT_EQ(copies(*store, Direction::in),
            (std::map<std::pair<VertexId, VertexId>, std::uint32_t>{{{1, 3}, 1}, {{2, 1}, 1}}));
  // Of 3 to 1, and the last of 1 to 2, there was none.
  EXPECT_EQ(store->removals_missed(), 2U);
  EXPECT_FALSE(fs::exists(folder_ / "run-000001"));
  EXPECT_EQ(fs::file_size(folder_ / store->runs()[0].name / "out.tombstones"), 0U);
}

// A hub whose length the index cannot hold, lists across blocks, empty lists, an edge twice.
TEST_F(DurableStores, OfOneRunOpenAsALayout) {
  constexpr VertexId kHub = 5;
  constexpr VertexId kManyVertices = 70'000;
  create(kManyVertices, 200);
  std::vector<Update> updates;
  for (VertexId v = 0; v < 66'000; ++v) updates.push_back({kHub, v, false});
  for (VertexId v = 0; v < 3'000; ++v) updates.push_back({v * 20, v, false});
  updates.push_back({kHub, 7, false});
  auto store = open(kWrite);
  ASSERT_EQ(store->append(updates), updates.size());
  store->commit();
  flush(*store, updates);
  const fs::path run = folder_ / store->runs()[0].name;
  const Layout layout(run);
  EXPECT_EQ(layout.facts().edges, updates.size());
  EXPECT_EQ(layout.facts().longest_list, 66'001U);
  for (const Direction direction : {Direction::out, Direction::in}) {
    std::map<VertexId, std::vector<VertexId>> expected;
    for (const Update& update : updates) {
      const bool out = direction == Direction::out;
      expected[out ? update.source : update.target].push_back(out ? update.target : update.source);
    }
    const ListReader reader(layout, direction);
    for (VertexId v = 0; v < kManyVertices; ++v) {
      std::vector<VertexId> found;
      for (const auto& [neighbour, weight] : reader.list(v)) found.push_back(neighbour);
      std::sort(expected[v].begin(), expected[v].end());
      ASSERT_EQ(found, expected[v]) << v;
    }
  }
  EXPECT_EQ(copies(*store, Direction::out).at({kHub, 7}), 2U);
}

TEST_F(DurableStores, RefuseWhatCannotBe) {
  EXPECT_THROW(open(kRead), Error);  // no store
  EXPECT_THROW(create(10, 1), Error);
  create(10, 4);
  EXPECT_THROW(create(10, 4), Error);  // one is there
  const auto store = open(kWrite);
  const std::vector<Update> over = {{1, 1, false}, {1, 10, false}};
  EXPECT_THROW(store->append(over), Error);
  EXPECT_EQ(store->appended(), 0U);
}

TEST_F(DurableStores, HaveOneWriter) {
  create(10, 4);
  const auto store = open(kWrite);
  EXPECT_NO_THROW(open(kRead));
  try {
    open(kWrite);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(::getpid())));
  }
}

TEST_F(DurableStores, OpenAfterTheWriterWasKilled) {
  create(10, 4);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto store = open(kWrite);
    store->append(std::vector<Update>{{1, 2, false}});
    store->commit();
    store->append(std::vector<Update>{{3, 4, false}});
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(open(kWrite)->acknowledged(), 1U);
  EXPECT_EQ(replayed_, (std::vector<Update>{{1, 2, false}}));
}

}  // namespace
}  // namespace outcore::evolving
