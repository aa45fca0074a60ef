// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/trace.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "common/error.h"
#include "common/executor.h"
#include "common/hash.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / fmt::format("outcore_trace_{}", info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path path() const { return folder_ / "t.oct"; }
  static TraceHeader header(unsigned workers = 1) {
    return {.graph = "kron",
            .layout = "firstfit",
            .engine = "concurrent",
            .workload = "bfs",
            .layout_bytes = 1000 * 4096,
            .raw_bytes = 3'900'000,
            .workers = workers,
            .file_units = {600, 400}};
  }
  [[nodiscard]] std::string contents() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  }
  // All events, as runs; the beginning of a round is a run of no units. Reads `at_once` events at a
  // time, or one by one if that is 0.
  [[nodiscard]] std::vector<TraceRun> events(std::size_t at_once) const {
    std::vector<TraceRun> result;
    TraceReader reader(path());
    for (TraceEvent event; at_once == 0 && reader.next(event);) result.push_back(event.run);
    std::vector<TraceEvent> some(at_once);
    for (std::size_t taken = 1; taken > 0;) {
      taken = reader.take(some);
      for (std::size_t i = 0; i < taken; ++i) result.push_back(some[i].run);
    }
    return result;
  }
  static constexpr std::size_t kAtOnce[] = {1, 2, 7, 256, 10'000};
  [[nodiscard]] std::vector<TraceRun> runs() const {
    std::vector<TraceRun> result = events(0);
    for (const std::size_t at_once : kAtOnce) EXPECT_EQ(events(at_once), result) << at_once;
    std::erase_if(result, [](const TraceRun& run) { return run.units == 0; });
    return result;
  }
  // The error of reading the whole file; empty if there is none.
  [[nodiscard]] std::string refusal(std::size_t at_once) const {
    try {
      (void)events(at_once);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
      return error.what();
    }
    return {};
  }
  [[nodiscard]] std::string refusal() const {
    const std::string result = refusal(0);
    for (const std::size_t at_once : kAtOnce) EXPECT_EQ(refusal(at_once), result) << at_once;
    return result;
  }
  // A valid trace of a few thousand accesses with jumps in both directions.
  void write_sound_trace() const {
    TraceWriter writer(path(), header());
    for (std::uint64_t round = 0; round < 3; ++round) {
      writer.begin_round(round);
      for (std::uint64_t i = 0; i < 1000; ++i) {
        writer.note(0, 0, mix(i + round) % 590, static_cast<std::uint32_t>(1 + mix(i) % 10));
      }
    }
    writer.close();
  }

  fs::path folder_;
};

TEST_F(TraceTest, AccessesComeBackWithTheirRoundsInTheOrderOfNoting) {
  TraceWriter writer(path(), header(2));
  writer.note(0, 0, 7, 1);
  writer.begin_round(3);
  writer.note(1, 1, 5, 2);  // file 1 begins at unit 600
  writer.note(0, 0, 599, 1);
  writer.note(1, 1, 0, 400);
  writer.begin_round(4);
  writer.begin_round(9);
  writer.note(1, 0, 0, 1);
  EXPECT_EQ(writer.close(), (TraceTotals{.accesses = 405, .rounds = 3}));
  EXPECT_THAT(runs(), ElementsAre(TraceRun{0, 7, 1}, TraceRun{3, 605, 2}, TraceRun{3, 599, 1},
                                  TraceRun{3, 600, 400}, TraceRun{9, 0, 1}));
}

TEST_F(TraceTest, RoundsWithoutAccessesAreKept) {
  TraceWriter writer(path(), header());
  writer.begin_round(0);
  writer.begin_round(1);
  writer.close();
  TraceReader reader(path());
  std::vector<std::uint64_t> rounds;
  for (TraceReader::Event event; reader.next(event);) {
    EXPECT_EQ(event.kind, TraceReader::Event::Kind::round);
    rounds.push_back(event.run.round);
  }
  EXPECT_THAT(rounds, ElementsAre(0, 1));
}

TEST_F(TraceTest, HeaderComesBack) {
  TraceWriter(path(), header(2)).close();
  EXPECT_EQ(TraceReader(path()).header().json(), header(2).json());
}

TEST_F(TraceTest, NothingIsNotedForNoUnits) {
  TraceWriter writer(path(), header());
  writer.note(0, 0, 3, 0);
  EXPECT_EQ(writer.close(), TraceTotals{});
}

// Each worker notes ascending numbers, more than fit into memory, so scratch files are used. Each
// worker's notes must come back in order, and none may be lost or moved to another round.
TEST_F(TraceTest, ConcurrentWorkersKeepTheirOwnOrderBeyondMemory) {
  constexpr unsigned kWorkers = 3;
  constexpr std::uint64_t kNotes = 2 * TraceWriter::kNotesInMemory + 1000;
  TraceHeader wide = header(kWorkers);
  wide.file_units = std::vector<std::uint64_t>(kWorkers, kNotes);
  TraceWriter writer(path(), wide);
  Executor executor(kWorkers);
  for (std::uint64_t round = 0; round < 2; ++round) {
    writer.begin_round(round);
    executor.run([&](unsigned worker) {
      for (std::uint64_t i = 0; i < kNotes; ++i) writer.note(worker, worker, i, 1);
    });
  }
  EXPECT_EQ(writer.close(), (TraceTotals{.accesses = 2 * kWorkers * kNotes, .rounds = 2}));

  std::vector<std::uint64_t> expected(kWorkers, 0);
  std::uint64_t round = 0;
  for (const TraceRun& run : runs()) {
    if (run.round != round) {
      ASSERT_THAT(expected, ::testing::Each(kNotes));
      expected.assign(kWorkers, 0);
      round = run.round;
    }
    ASSERT_EQ(run.first % kNotes, expected[run.first / kNotes]++);
  }
  EXPECT_THAT(expected, ::testing::Each(kNotes));
}

// Numbers of every length, up to units of five bytes and rounds of ten.
TEST_F(TraceTest, NumbersOfEveryLengthComeBack) {
  TraceHeader wide = header();
  wide.file_units = {(std::uint64_t{1} << 32) - 1};
  TraceWriter writer(path(), wide);
  std::vector<TraceRun> expected;
  std::vector<std::uint64_t> rounds;
  for (unsigned bit = 0; bit < 62; ++bit) rounds.push_back(std::uint64_t{1} << bit);
  for (const std::uint64_t round : rounds) {
    writer.begin_round(round);
    for (unsigned bit = 0; bit < 32; ++bit) {
      const auto unit = static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
      writer.note(0, 0, unit, 1 + bit % 2);
      expected.push_back({round, unit, 1 + bit % 2});
    }
  }
  writer.close();
  EXPECT_EQ(runs(), expected);
}

TEST_F(TraceTest, AnUnclosedTraceLeavesNothing) {
  { TraceWriter(path(), header()).note(0, 0, 1, 1); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TraceTest, OnlyTheFinishedFileStandsInTheFolder) {
  write_sound_trace();
  std::set<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path());
  EXPECT_THAT(found, ElementsAre(path()));
}

TEST_F(TraceTest, DescendingRoundsAreAFaultOfTheEngine) {
  TraceWriter writer(path(), header());
  writer.begin_round(2);
  EXPECT_THROW(writer.begin_round(2), Error);
}

TEST_F(TraceTest, MoreUnitsThanIdsAreRefused) {
  TraceHeader wide = header();
  wide.file_units = {std::uint64_t{1} << 31, std::uint64_t{1} << 31};
  EXPECT_THROW(TraceWriter(path(), wide), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TraceTest, EveryTruncationIsRefusedWithAnOffset) {
  write_sound_trace();
  const std::string whole = contents();
  ASSERT_GT(whole.size(), 2000U);
  ASSERT_EQ(refusal(), "");
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 40) {
    replace(whole.substr(0, size));
    EXPECT_THAT(refusal(), AllOf(HasSubstr(path().string()), HasSubstr("at offset "))) << size;
  }
  replace(whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal(), HasSubstr(fmt::format("at offset {}", whole.size() - 1)));
}

TEST_F(TraceTest, EveryFlippedByteOfTheRecordsIsRefused) {
  write_sound_trace();
  const std::string whole = contents();
  const std::size_t records = whole.find('\n') + 1;
  for (std::size_t at = records; at < whole.size(); at += 37) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x20);
    replace(broken);
    EXPECT_THAT(refusal(), HasSubstr("at offset ")) << at;
  }
}

TEST_F(TraceTest, WhatFollowsTheEndIsRefused) {
  write_sound_trace();
  replace(contents() + "x");
  EXPECT_THAT(refusal(), HasSubstr("bytes after the records"));
}

TEST_F(TraceTest, OtherVersionsAndFilesThatAreNoTraceAreRefused) {
  write_sound_trace();
  std::string other = contents();
  other.replace(other.find("\"outcore_trace\":1"), 17, "\"outcore_trace\":2");
  replace(other);
  EXPECT_THAT(refusal(), HasSubstr("found trace version 2, expected version 1"));
  replace("0 1\n1 2\n");
  EXPECT_THAT(refusal(), HasSubstr("expected the JSON line that begins a trace"));
  replace(std::string(1'000'000, 'x'));
  EXPECT_THAT(refusal(), HasSubstr("no header line"));
}

TEST_F(TraceTest, AnAccessOutsideOfTheFilesIsRefused) {
  write_sound_trace();
  std::string other = contents();  // the same records with fewer units in the header
  other.replace(other.find("[600,400]"), 9, "[600]    ");
  replace(other);
  EXPECT_EQ(refusal(), "");
  other.replace(other.find("[600]"), 5, "[590]");
  replace(other);
  EXPECT_THAT(refusal(), HasSubstr("expected units below 590"));
}

}  // namespace
}  // namespace outcore
