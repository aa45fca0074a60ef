// SPDX-License-Identifier: Apache-2.0
#include "storage/io/door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "common/error.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint32_t kBlock = 4096;
constexpr std::uint64_t kBlocks = 512;

class Doors : public testing::TestWithParam<const char*> {
 protected:
  Door open(unsigned depth, const BlockFile& block_file) const {
    return {{block_file}, GetParam(), {.depth = depth}};
  }
  PatternedFile file_{kBlocks * kBlock};
  BlockFile block_file_ = file_.block_file(kBlock);
};

// Flips one bit on disk.
void damage(const std::filesystem::path& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const auto byte = static_cast<char>(file.get() ^ 0x10);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(byte);
}

std::string failure(const std::function<void()>& action, ExitCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return {};
}

TEST_P(Doors, RunsOfSeveralBlocksArriveInOrderAndAreCounted) {
  Door door = open(8, block_file_);
  AlignedBuffer buffer(8 * kBlock);
  {
    DoorChannel channel(door, buffer.all());
    ASSERT_TRUE(channel.read(0, 3, 1, buffer.at(0), 30));
    ASSERT_TRUE(channel.read(0, 100, 5, buffer.at(kBlock), 31));
    channel.flush();
    EXPECT_EQ(channel.in_flight(), 2U);
    std::array<std::uint64_t, 4> tags{};
    EXPECT_EQ(channel.reap(tags, 2), 2U);
    EXPECT_THAT(std::span(tags).first(2), testing::UnorderedElementsAre(30, 31));
    EXPECT_EQ(channel.in_flight(), 0U);
    channel.touched(7);
    channel.holes(4096);
  }
  EXPECT_TRUE(PatternedFile::right({buffer.at(0), kBlock}, 3 * kBlock));
  EXPECT_TRUE(PatternedFile::right({buffer.at(kBlock), 5 * kBlock}, 100 * kBlock));
  nlohmann::json counted = door.counters().json();
  EXPECT_EQ(door.counters().latency.count(), 2U);
  EXPECT_GT(counted.at("latency").at("max_us"), 0);
  EXPECT_TRUE(counted.at("write_latency").is_null());
  counted.erase("latency");
  counted.erase("write_latency");
  EXPECT_EQ(counted, nlohmann::json::parse(R"({
      "requests": 2, "requested_bytes": 24576, "touched_bytes": 7, "hole_bytes": 4096,
      "requests_by_size": {"4096": 1, "16384": 1},
      "write_requests": 0, "written_bytes": 0, "syncs": 0, "evicted_bytes": 0})"));
}

TEST_P(Doors, WhoWatchesSeesWhatIsInFlightAndWhatWasAsked) {
  RequestGauge gauge;
  Door door({block_file_}, GetParam(), {.depth = 8, .gauge = &gauge});
  AlignedBuffer buffer(8 * kBlock);
  std::array<std::uint64_t, 8> tags{};
  {
    DoorChannel first(door, buffer.all());
    DoorChannel second(door, buffer.all());
    for (BlockId block = 0; block < 3; ++block) {
      first.read(0, block, 1, buffer.at(block * kBlock), block);
    }
    first.flush();
    EXPECT_EQ(gauge.in_flight, 3);
    second.read(0, 7, 1, buffer.at(7 * kBlock), 7);
    second.flush();
    EXPECT_EQ(gauge.in_flight, 4);
    EXPECT_EQ(first.reap(tags, 3), 3U);
    EXPECT_EQ(gauge.in_flight, 1);
  }
  EXPECT_EQ(gauge.in_flight, 0) << "what was given up is not in flight any more";
  EXPECT_EQ(gauge.asked, 4U);
}

TEST_P(Doors, ARefusedReadIsNotCountedAndComesThroughAfterReaping) {
  Door door = open(3, block_file_);
  AlignedBuffer buffer(4 * kBlock);
  {
    DoorChannel channel(door, buffer.all());
    std::array<std::uint64_t, 1> tag{};
    for (BlockId block = 0; block < 3; ++block) {
      EXPECT_TRUE(channel.read(0, block, 1, buffer.at(block * kBlock), block));
    }
    EXPECT_FALSE(channel.read(0, 3, 1, buffer.at(3 * kBlock), 3));
    EXPECT_EQ(channel.reap(tag, 1), 1U);
    EXPECT_TRUE(channel.read(0, 3, 1, buffer.at(3 * kBlock), 3));
    while (channel.in_flight() > 0) EXPECT_EQ(channel.reap(tag, 1), 1U);
  }
  EXPECT_EQ(door.counters().requests, 4U);
  EXPECT_TRUE(PatternedFile::right(buffer.all(), 0));
}

TEST_P(Doors, ChannelsOnSeveralThreadsReadEveryBlockAndTheirCountsAddUp) {
  Door door = open(16, block_file_);
  const auto read_all = [&](BlockId begin, BlockId end) {
    AlignedBuffer buffer((end - begin) * kBlock);
    DoorChannel channel(door, buffer.all());
    std::array<std::uint64_t, 16> tags{};
    for (BlockId block = begin; block < end; ++block) {
      std::byte* into = buffer.at((block - begin) * kBlock);
      while (!channel.read(0, block, 1, into, block)) channel.reap(tags, 1);
    }
    while (channel.in_flight() > 0) channel.reap(tags, tags.size());
    EXPECT_TRUE(PatternedFile::right(buffer.all(), begin * kBlock));
  };
  {
    const std::jthread other([&] { read_all(0, 200); });
    read_all(200, kBlocks);
  }
  EXPECT_EQ(door.counters().requested_bytes, kBlocks * kBlock);
}

TEST_P(Doors, ADamagedBlockIsNamedWithItsOffsetAndSums) {
  damage(file_.path(), 102 * kBlock + 17);
  Door door = open(4, block_file_);
  AlignedBuffer buffer(8 * kBlock);
  DoorChannel channel(door, buffer.all());
  std::array<std::uint64_t, 4> tags{};
  ASSERT_TRUE(channel.read(0, 99, 8, buffer.at(0), 1));
  EXPECT_THAT(failure([&] { channel.reap(tags, 1); }, ExitCode::io),
              AllOf(HasSubstr(fmt::format("{} at offset {}: block 102 is damaged",
                                          file_.path().string(), 102 * kBlock)),
                    HasSubstr(fmt::format("expected {:08x}", block_file_.sums[102]))));
}

TEST_P(Doors, AFileShorterThanItsBlocksIsRefusedWithBothSizes) {
  file_.cut(kBlocks * kBlock - 1000);
  EXPECT_THAT(failure([&] { open(4, block_file_); }, ExitCode::bad_input),
              AllOf(HasSubstr(fmt::format("at offset {}", kBlocks * kBlock - 1000)),
                    HasSubstr(fmt::format("found a file of {} bytes", kBlocks * kBlock - 1000)),
                    HasSubstr(fmt::format("expected {} (512 blocks of 4096)", kBlocks * kBlock))));
}

TEST_P(Doors, ARunOutsideTheFileIsRefused) {
  Door door = open(4, block_file_);
  AlignedBuffer buffer(4 * kBlock);
  DoorChannel channel(door, buffer.all());
  for (const auto& [first, blocks] :
       std::vector<std::pair<BlockId, std::uint32_t>>{{kBlocks, 1}, {kBlocks - 1, 2}, {0, 0}}) {
    EXPECT_THAT(
        failure([&] { channel.read(0, first, blocks, buffer.at(0), 0); }, ExitCode::bad_input),
        HasSubstr(fmt::format("{} blocks from block {}", blocks, first)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Doors, testing::Values("uring", "threads", "mmap", "mem", "fault"),
                         [](const auto& backend) { return std::string(backend.param); });

// A view of mapped blocks is the same door: checked, counted.
class DoorViews : public testing::Test {
 protected:
  PatternedFile file_{kBlocks * kBlock};
  BlockFile block_file_ = file_.block_file(kBlock);
};

TEST_F(DoorViews, ShowBlocksWhereTheyLieAndCountWhatIsPopulated) {
  Door door({block_file_}, "mmap", {});
  {
    DoorView view(door);
    const std::vector<DoorRun> runs = {{0, 3, 1}, {0, 100, 5}};
    view.start(runs);
    view.finish();
    EXPECT_TRUE(PatternedFile::right(view.bytes(runs[1]), 100 * kBlock));
    EXPECT_TRUE(PatternedFile::right(view.bytes({0, 400, 2}), 400 * kBlock)) << "unpopulated";
    view.touched(7);
    view.holes(kBlock);
  }
  EXPECT_EQ(door.counters().latency.count(), 2U);
  nlohmann::json counted = door.counters().json();
  EXPECT_TRUE(counted.at("write_latency").is_null());
  counted.erase("latency");
  counted.erase("write_latency");
  EXPECT_EQ(counted, nlohmann::json::parse(R"({
      "requests": 2, "requested_bytes": 24576, "touched_bytes": 7, "hole_bytes": 4096,
      "requests_by_size": {"4096": 1, "16384": 1},
      "write_requests": 0, "written_bytes": 0, "syncs": 0, "evicted_bytes": 0})"));
}

TEST_F(DoorViews, CountWhatTheyRelease) {
  evict_pages({file_.path()});
  if (page_residency({file_.path()}) > 0) GTEST_SKIP() << "pages cannot be dropped here";
  Door door({block_file_}, "mmap", {});
  const std::vector<DoorRun> runs = {{0, 3, 1}, {0, 100, 5}};
  {
    DoorView view(door);
    view.advise({0, 0, kBlocks}, MapAdvice::random);
    view.start(runs);
    view.finish();
    EXPECT_EQ(view.resident_bytes({0, 0, kBlocks}), 6 * kBlock);
    view.release(std::span(runs).last(1));
    EXPECT_EQ(view.resident_bytes({0, 0, kBlocks}), kBlock);
    view.release(runs);
    EXPECT_EQ(view.counters().evicted_bytes, 6 * kBlock) << "what was gone is not counted again";
    EXPECT_THAT(failure(
                    [&] {
                      static_cast<void>(view.resident_bytes({0, kBlocks, 1}));
                    },
                    ExitCode::bad_input),
                HasSubstr("1 blocks from block 512"));
  }
  EXPECT_EQ(door.counters().json().at("evicted_bytes"), 6 * kBlock);
}

TEST_F(DoorViews, FindDamageAndCuts) {
  damage(file_.path(), 102 * kBlock + 17);
  Door door({block_file_}, "mmap", {});
  DoorView view(door);
  const DoorRun damaged = {0, 100, 5};
  EXPECT_THAT(failure(
                  [&] {
                    view.start({&damaged, 1});
                    view.finish();
                  },
                  ExitCode::io),
              HasSubstr("block 102 is damaged"));
  file_.cut(300 * kBlock);
  const DoorRun missing = {0, 310, 2};
  EXPECT_THAT(failure(
                  [&] {
                    view.start({&missing, 1});
                    view.finish();
                  },
                  ExitCode::io),
              HasSubstr("the file ends 8192 bytes early"));
  EXPECT_THAT(failure(
                  [&] {
                    static_cast<void>(view.bytes({0, kBlocks, 1}));
                  },
                  ExitCode::bad_input),
              HasSubstr("1 blocks from block 512"));
}

TEST_F(DoorViews, AreRefusedWhereNothingIsMapped) {
  Door door({block_file_}, "threads", {});
  EXPECT_THAT(failure([&] { const DoorView view(door); }, ExitCode::usage),
              HasSubstr("but backend threads maps none"));
}

TEST(Door, RefusesBlockSizesThatCannotBeReadDirectly) {
  const PatternedFile file(4096);
  EXPECT_THAT(failure([&] { Door({file.block_file(512)}, "mem", {}); }, ExitCode::usage),
              HasSubstr("multiples of 4096"));
}

}  // namespace
}  // namespace outcore
