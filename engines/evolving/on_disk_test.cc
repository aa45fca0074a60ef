// SPDX-License-Identifier: Apache-2.0
// Queries on a store that stays on the disk: what its runs, removals and frames cost, what a round
// reads, and what faults of the disk come to.
#include "engines/evolving/on_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/error.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/opened_store.h"
#include "tests/contract/toy_programs.h"
#include "tests/toy_durable_store.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using evolving::LogEdge;
using evolving::StoredLists;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr VertexId kStoredIds = 3000;
constexpr std::uint32_t kDiskBlock = 4096;

EngineOptions few_frames() {
  EngineOptions options;
  options.threads = 2;
  options.depth = 4;
  options.frames_bytes = std::uint64_t{16} * kDiskBlock;
  options.max_request_bytes = 2 * kDiskBlock;
  return options;
}

class OnDisk : public ::testing::Test {
 public:
  ~OnDisk() override { fs::remove_all(folder_); }
  OnDisk(const OnDisk&) = delete;
  OnDisk& operator=(const OnDisk&) = delete;

 protected:
  OnDisk() : folder_(fs::path(::testing::TempDir()) / "on_disk_test") {}

  // A store of the stream in so many runs of the same number of updates.
  void make(std::span<const LogEdge> stream, std::size_t runs, unsigned id_bytes = 4,
            const std::string& codec = "raw") const {
    evolving::remake_store(folder_, kStoredIds, id_bytes, codec);
    evolving::RealDisk disk(folder_);
    evolving::DurableStore store(disk, {.access = evolving::Access::write},
                                 [](std::span<const evolving::Update>) {});
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t first = stream.size() * run / runs;
      take(store, stream.subspan(first, stream.size() * (run + 1) / runs - first), true);
    }
    store.close();
  }
  // After rounds over all lists, and one that pushes along those of `some`.
  [[nodiscard]] EngineReport report_of(const EngineOptions& options, int rounds,
                                       const std::vector<VertexId>& some = {}) const {
    const evolving::OpenedStore store(evolving::open_stored_lists(folder_, {}));
    EngineOptions asked = options;
    asked.settings = engine_settings("evolving:medium=ssd");
    const auto engine = find_engine("evolving").make(store, asked);
    toys::Wcc labels(engine->graph());
    for (int i = 0; i < rounds; ++i)
      engine->round(labels, Frontier::all(engine->graph()), Direction::out, Mode::push);
    if (!some.empty())
      engine->round(labels, Frontier::of(kStoredIds, some), Direction::out, Mode::push);
    return engine->report();
  }
  [[nodiscard]] std::string message_of_round(const EngineOptions& options) const {
    try {
      static_cast<void>(report_of(options, 1));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return error.what();
    }
    return "none";
  }

  const fs::path folder_;
  const std::vector<LogEdge> stream_ =
      evolving::make_stream({.updates = 60'000, .vertices = kStoredIds});
};

TEST_F(OnDisk, ListsInMoreRunsAreMoreRequestsAndBytes) {
  std::map<std::size_t, EngineReport> reports;
  for (const std::size_t runs : {1U, 2U, 4U}) {
    make(stream_, runs);
    reports[runs] = report_of(few_frames(), 1);
    EXPECT_EQ(reports[runs].edges_processed, stream_.size());
  }
  for (const char* count : {"list_parts", "pieces"}) {
    EXPECT_LT(reports[1].counts.at(count), reports[2].counts.at(count)) << count;
    EXPECT_LT(reports[2].counts.at(count), reports[4].counts.at(count)) << count;
  }
  const auto requests = [&](std::size_t runs) { return reports[runs].io.requests; };
  EXPECT_LE(requests(1), requests(2));
  EXPECT_LT(requests(1), requests(4));
  EXPECT_LT(reports[1].io.requested_bytes, reports[4].io.requested_bytes);
  evolving::compact_store(folder_);
  const EngineReport compacted = report_of(few_frames(), 1);
  EXPECT_EQ(compacted.counts.at("list_parts"), reports[1].counts.at("list_parts"));
  EXPECT_EQ(compacted.io.requested_bytes, reports[1].io.requested_bytes);
}

// The first of the runs has ids of 4 bytes in both.
TEST_F(OnDisk, IdsOfThreeBytesAreFewerBytesOfTheSameLists) {
  std::map<unsigned, EngineReport> reports;
  for (const unsigned id_bytes : {4U, 3U}) {
    make(stream_, 3, id_bytes);
    reports[id_bytes] = report_of(few_frames(), 2);
    EXPECT_EQ(reports[id_bytes].edges_processed, 2 * stream_.size());
  }
  EXPECT_EQ(reports[3].counts.at("list_parts"), reports[4].counts.at("list_parts"));
  EXPECT_LT(reports[3].io.requested_bytes, reports[4].io.requested_bytes);
}

// A codec makes the long lists of a stream with few hubs shorter; the others stay plain.
TEST_F(OnDisk, CodedRunsAreFewerBytesOfTheSameLists) {
  std::map<std::string, EngineReport> reports;
  for (const char* codec : {"raw", "svb", "varint"}) {
    make(stream_, 3, 4, codec);
    evolving::compact_store(folder_);
    reports[codec] = report_of(few_frames(), 2);
    EXPECT_EQ(reports[codec].edges_processed, 2 * stream_.size());
    EXPECT_LT(reports[codec].io.touched_bytes, reports[codec].io.requested_bytes);
  }
  for (const char* codec : {"svb", "varint"}) {
    EXPECT_EQ(reports[codec].counts.at("list_parts"), reports["raw"].counts.at("list_parts"));
    EXPECT_LT(reports[codec].io.requested_bytes, reports["raw"].io.requested_bytes);
    EXPECT_LT(reports[codec].io.touched_bytes, reports["raw"].io.touched_bytes);
  }
}

TEST_F(OnDisk, ARoundOfFewReadsTheirBlocksAlone) {
  make(stream_, 2);
  EngineOptions options = few_frames();
  const EngineReport report = report_of(options, 1, {1000});
  ASSERT_EQ(report.rounds.size(), 2U);
  const RoundReport& all = report.rounds.front();
  EXPECT_EQ(all.requested_bytes, all.blocks * kDiskBlock);
  EXPECT_LE(report.rounds.back().blocks, 4U) << "a list may lie on two blocks of each run";
  EXPECT_LT(report.rounds.back().requested_bytes, all.requested_bytes / 4);
}

TEST_F(OnDisk, MoreFramesKeepMoreBlocksForLaterRounds) {
  make(stream_, 2);
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t blocks : {16U, 60U, 1000U}) {
    EngineOptions options = few_frames();
    options.frames_bytes = blocks * kDiskBlock;
    const EngineReport report = report_of(options, 3);
    EXPECT_LT(report.io.requested_bytes, before);
    EXPECT_EQ(report.edges_processed, 3 * stream_.size());
    before = report.io.requested_bytes;
    const auto kept = static_cast<std::uint64_t>(report.rounds.back().own.at("kept_bytes"));
    EXPECT_EQ(report.rounds.back().requested_bytes, report.rounds.front().requested_bytes - kept);
  }
}

TEST_F(OnDisk, LeavesOutWhatWasRemovedAndCountsWhatStands) {
  std::uint64_t resolved = 0;
  for (const double removals : {0.0, 0.01, 0.5}) {
    const auto stream = evolving::make_stream(
        {.updates = 30'000, .vertices = kStoredIds, .removals = removals, .seed = 3});
    make(stream, 3);
    const EngineReport report = report_of(few_frames(), 1);
    EXPECT_EQ(report.edges_processed, evolving::EdgeMultiset(stream, false).edges());
    EXPECT_EQ(report.counts.at("resolved_lists") > resolved, removals > 0);
    resolved = report.counts.at("resolved_lists");
  }
}

// Tasks get a list over all its runs and the log, along the edges of either direction.
TEST_F(OnDisk, TasksGetTheirListsOverAllRuns) {
  class Reader : public TaskProgram {
   public:
    ListRange wants(const Task& /*task*/, std::uint32_t degree) override { return {0, degree}; }
    void step(const Task& /*task*/, const Piece& piece, TaskStack& /*next*/) override {
      EXPECT_EQ(piece.first, seen.size());
      seen.insert(seen.end(), piece.ids, piece.ids + piece.count);
    }
    std::vector<VertexId> seen;
  };
  const auto stream = evolving::make_stream(
      {.updates = 12'000, .vertices = kStoredIds, .removals = 0.3, .seed = 5});
  const evolving::EdgeMultiset expected(stream, false);
  using Form = std::pair<unsigned, const char*>;
  for (const auto& [id_bytes, codec] :
       {Form(4U, "raw"), Form(3U, "raw"), Form(4U, "svb"), Form(3U, "varint")}) {
    evolving::make_toy_store(folder_, stream, 9'000, kStoredIds, id_bytes, codec);
    const StoredLists stored = evolving::open_stored_lists(folder_, {});
    for (const Direction direction : {Direction::out, Direction::in}) {
      for (const VertexId v : {0U, 1U, 77U, 2999U}) {
        EvolvingOnDisk engine(stored, few_frames());
        Reader reader;
        const Task task{.v = v};
        engine.drive(reader, {&task, 1}, direction);
        std::sort(reader.seen.begin(), reader.seen.end());
        EXPECT_EQ(reader.seen, expected.neighbours(direction, v)) << v;
        EXPECT_EQ(engine.report().edges_processed, reader.seen.size());
      }
    }
  }
}

TEST_F(OnDisk, AnErrorOfTheDiskEndsTheQuery) {
  make(stream_, 3);
  for (const char* plan : {"eio@0", "over:threads,eio@9,delay:0.2", "over:mem,short@5"}) {
    EngineOptions options = few_frames();
    options.backend = "fault";
    options.fault_plan = plan;
    EXPECT_THAT(message_of_round(options), HasSubstr("run-00000")) << plan;
  }
}

TEST_F(OnDisk, ADamagedBlockIsNamed) {
  make(stream_, 2);
  const fs::path blocks = folder_ / "run-000002" / "out.blocks";
  std::fstream file(blocks, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(2 * kDiskBlock + 100);
  file.put('\x55');
  file.close();
  EXPECT_THAT(message_of_round(few_frames()),
              AllOf(HasSubstr("run-000002/out.blocks"), HasSubstr("8192")));
}

}  // namespace
}  // namespace outcore
