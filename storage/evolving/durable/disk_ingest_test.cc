// SPDX-License-Identifier: Apache-2.0
// A stream's way into a durable store by three threads, in a real folder, read by a fourth
// meanwhile.
#include "storage/evolving/durable/disk_ingest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_view.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;

constexpr VertexId kVertices = 300;
constexpr std::uint64_t kUpdates = 40'000;

LogEdge update(std::uint64_t i) {
  return as_logged({static_cast<VertexId>(i * 7 % kVertices),
                    static_cast<VertexId>(i * i % kVertices), i % 3 == 2});
}

using Copies = std::map<std::pair<VertexId, VertexId>, std::uint32_t>;

Copies copies_after(std::uint64_t updates) {
  Copies copies;
  for (std::uint64_t i = 0; i < updates; ++i) {
    const Update next = as_update(update(i));
    std::uint32_t& count = copies[{next.source, next.target}];
    if (!next.removes) ++count;
    if (next.removes && count > 0) --count;
  }
  std::erase_if(copies, [](const auto& pair) { return pair.second == 0; });
  return copies;
}

Copies copies_of(StoreView& view, Direction direction) {
  Copies copies;
  const auto lists = view.lists(direction);
  VertexId vertex = 0;
  std::vector<PairChange> list;
  while (lists->next(vertex, list)) {
    for (const PairChange& pair : list) {
      const bool out = direction == Direction::out;
      copies[{out ? vertex : pair.neighbour, out ? pair.neighbour : vertex}] = pair.adds;
    }
  }
  return copies;
}

class DiskIngests : public ::testing::Test {
 protected:
  DiskIngests() : folder_(fs::path(::testing::TempDir()) / "disk_ingest_test") {
    fs::remove_all(folder_);
    RealDisk::make(folder_);
    disk_ = std::make_unique<RealDisk>(folder_);
    DurableStore::create(*disk_, {.limit = kVertices, .log_pages = 16});
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<DiskIngest> open(GroupCommit::Told told = nullptr) {
    const GroupCommit::Limits group{.pages = 2, .longest = std::chrono::milliseconds(1)};
    return std::make_unique<DiskIngest>(
        *disk_, DiskIngestKnobs{.group = group, .factor = 3, .memory = 1 << 20}, std::move(told));
  }
  static void feed(DiskIngest& ingest, std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      const std::span<LogEdge> room = ingest.room(std::min<std::uint64_t>(end - begin, 777));
      for (std::size_t i = 0; i < room.size(); ++i) room[i] = update(begin + i);
      ingest.append(room.size());
      begin += room.size();
    }
  }
  void expect_first(std::uint64_t updates) {
    StoreView view(*disk_);
    EXPECT_EQ(view.updates(), updates);
    EXPECT_EQ(copies_of(view, Direction::out), copies_after(updates));
    EXPECT_EQ(copies_of(view, Direction::in), copies_after(updates));
  }

  fs::path folder_;
  std::unique_ptr<RealDisk> disk_;
};

TEST_F(DiskIngests, TakeAStreamThatIsLongerThanTheLog) {
  std::atomic<std::uint64_t> acknowledged{0};
  const auto ingest = open([&](std::uint64_t last) {
    EXPECT_GT(last, acknowledged.load());
    acknowledged = last;
  });
  feed(*ingest, 0, kUpdates);
  ingest->finish();
  EXPECT_EQ(acknowledged, kUpdates);
  const DiskIngestCounters counters = ingest->counters();
  EXPECT_GE(counters.flushes, kUpdates / (16 * LogPage::kUpdates));
  EXPECT_GE(counters.commits, kUpdates / 1000);
  EXPECT_GT(counters.merges, 0U);
  expect_first(kUpdates);
}

TEST_F(DiskIngests, KeepAllThatWasTakenWhenInterrupted) {
  {
    const auto ingest = open();
    feed(*ingest, 0, 12'345);
    ingest->interrupt();
    EXPECT_THROW(static_cast<void>(ingest->room(1)), Error);
  }
  expect_first(12'345);
  const auto ingest = open();
  EXPECT_EQ(ingest->opened_at(), 12'345U);
  EXPECT_EQ(ingest->replayed(), 12'345U - ingest->store().flushed());
  feed(*ingest, 12'345, kUpdates);
  ingest->finish();
  expect_first(kUpdates);
}

TEST_F(DiskIngests, InterruptWhileAnotherThreadFeeds) {
  const auto ingest = open();
  std::jthread feeder([&] {
    try {
      feed(*ingest, 0, kUpdates);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::interrupted);
    }
  });
  while (ingest->store().acknowledged() < 5000) std::this_thread::yield();
  ingest->interrupt();
  feeder.join();
  expect_first(ingest->store().acknowledged());
}

TEST_F(DiskIngests, AreReadMeanwhile) {
  const auto ingest = open();
  std::atomic<bool> ends{false};
  std::uint64_t views = 0;
  std::jthread reader([&] {
    std::uint64_t before = 0;
    // Merges remove runs under the reader's hands.
    for (; !ends; ++views) {
      StoreView view(*disk_);
      EXPECT_GE(view.updates(), before);
      before = view.updates();
      EXPECT_EQ(copies_of(view, Direction::out), copies_after(view.updates()));
      EXPECT_EQ(copies_of(view, Direction::in), copies_after(view.updates()));
    }
  });
  feed(*ingest, 0, kUpdates);
  ingest->finish();
  ends = true;
  reader.join();
  EXPECT_GT(views, 0U);
  expect_first(kUpdates);
}

TEST_F(DiskIngests, RefuseIdsOverTheLimit) {
  const auto ingest = open();
  ingest->room(1).front() = {kVertices, 0};
  EXPECT_THROW(ingest->append(1), Error);
}

}  // namespace
}  // namespace outcore::evolving
