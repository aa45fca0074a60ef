// SPDX-License-Identifier: Apache-2.0
// Writes and syncs through a Door: they are counted, and checksums follow them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::uint32_t kWritten = 4096;  // bytes of a block
constexpr std::uint64_t kWrittenBlocks = 64;

class DoorWrites : public testing::TestWithParam<const char*> {
 protected:
  static Door open(const BlockFile& blocks, RequestGauge* gauge = nullptr) {
    return {{blocks}, GetParam(), {.depth = 8, .gauge = gauge}};
  }
  // Waits for everything in flight; returns the tags.
  static std::vector<std::uint64_t> reap_all(DoorChannel& channel) {
    std::vector<std::uint64_t> tags(8);
    tags.resize(channel.reap(tags, channel.in_flight()));
    return tags;
  }
  static std::string error_of(const std::function<void()>& action, ExitCode code) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "none";
  }
  BlockFile writable(bool with_sums) const {
    BlockFile blocks = file_.block_file(kWritten);
    blocks.writable = true;
    if (!with_sums) blocks.sums.clear();
    if (!with_sums) blocks.unchecked = kWrittenBlocks;
    return blocks;
  }
  PatternedFile file_{kWrittenBlocks * kWritten};
};

TEST_P(DoorWrites, AreCountedApartFromReadsAndReadBack) {
  RequestGauge gauge;
  Door door = open(writable(true), &gauge);
  AlignedBuffer buffer(8 * kWritten);
  std::fill(buffer.all().begin(), buffer.all().end(), std::byte{9});
  {
    DoorChannel channel(door, buffer.all());
    ASSERT_TRUE(channel.write(0, 3, 1, buffer.at(0), 30));
    ASSERT_TRUE(channel.write(0, 10, 3, buffer.at(kWritten), 31));
    channel.flush();
    EXPECT_EQ(gauge.in_flight, 2);
    EXPECT_THAT(reap_all(channel), UnorderedElementsAre(30, 31));
    ASSERT_TRUE(channel.sync(0, 32));
    EXPECT_THAT(reap_all(channel), UnorderedElementsAre(32));
    ASSERT_TRUE(channel.read(0, 2, 3, buffer.at(5 * kWritten), 33));
    EXPECT_THAT(reap_all(channel), UnorderedElementsAre(33));
  }
  EXPECT_TRUE(PatternedFile::right({buffer.at(5 * kWritten), kWritten}, 2 * kWritten));
  EXPECT_EQ(std::count(buffer.at(6 * kWritten), buffer.at(7 * kWritten), std::byte{9}), kWritten);
  EXPECT_TRUE(PatternedFile::right({buffer.at(7 * kWritten), kWritten}, 4 * kWritten));
  const IoCounters counted = door.counters();
  EXPECT_EQ(counted.requests, 1U);
  EXPECT_EQ(counted.requested_bytes, 3 * kWritten);
  EXPECT_EQ(counted.latency.count(), 1U);
  EXPECT_EQ(counted.write_requests, 2U);
  EXPECT_EQ(counted.written_bytes, 4 * kWritten);
  EXPECT_EQ(counted.write_latency.count(), 2U);
  EXPECT_EQ(counted.syncs, 1U);
  EXPECT_EQ(counted.json().at("written_bytes"), 4 * kWritten);
  EXPECT_EQ(gauge.in_flight, 0);
  EXPECT_EQ(gauge.asked, 1U);
  EXPECT_EQ(gauge.writes, 3U);
}

// The checksums follow what is written, so that a layout's checks also find damage to it.
TEST_P(DoorWrites, SetTheSumsOfTheirBlocks) {
  const BlockFile before = writable(true);
  Door door = open(before);
  AlignedBuffer buffer(2 * kWritten);
  DoorChannel channel(door, buffer.all());
  ASSERT_TRUE(channel.write(0, 7, 2, buffer.at(0), 1));
  reap_all(channel);
  for (BlockId block = 0; block < kWrittenBlocks; ++block) {
    EXPECT_EQ(door.file(0).sums[block] == before.sums[block], block != 7 && block != 8);
  }
  EXPECT_EQ(door.file(0).sums[7], checksum32({buffer.at(0), kWritten}));
}

TEST_P(DoorWrites, AFileWithoutSumsIsNotChecked) {
  Door door = open(writable(false));
  EXPECT_EQ(door.file(0).blocks(), kWrittenBlocks);
  AlignedBuffer buffer(2 * kWritten);
  DoorChannel channel(door, buffer.all());
  ASSERT_TRUE(channel.write(0, kWrittenBlocks - 1, 1, buffer.at(0), 1));
  reap_all(channel);
  ASSERT_TRUE(channel.read(0, kWrittenBlocks - 2, 2, buffer.at(0), 2));
  reap_all(channel);
  EXPECT_TRUE(PatternedFile::right({buffer.at(0), kWritten}, (kWrittenBlocks - 2) * kWritten));
  EXPECT_EQ(std::count(buffer.at(kWritten), buffer.at(2 * kWritten), std::byte{0}), kWritten);
  EXPECT_TRUE(door.file(0).sums.empty());
}

TEST_P(DoorWrites, OfAFileThatIsOnlyReadAreRefused) {
  Door door = open(file_.block_file(kWritten));
  AlignedBuffer buffer(kWritten);
  DoorChannel channel(door, buffer.all());
  const std::string expected = file_.path().string() + " was opened for reading";
  EXPECT_THAT(error_of([&] { channel.write(0, 0, 1, buffer.at(0), 1); }, ExitCode::usage),
              HasSubstr(expected));
  EXPECT_THAT(error_of([&] { channel.sync(0, 1); }, ExitCode::usage), HasSubstr(expected));
  EXPECT_EQ(channel.counters().write_requests + channel.counters().syncs, 0U);
}

TEST_P(DoorWrites, OutsideTheFileAreRefused) {
  Door door = open(writable(true));
  AlignedBuffer buffer(2 * kWritten);
  DoorChannel channel(door, buffer.all());
  EXPECT_THAT(error_of([&] { channel.write(0, kWrittenBlocks - 1, 2, buffer.at(0), 1); },
                       ExitCode::bad_input),
              HasSubstr("2 blocks from block 63"));
}

TEST_P(DoorWrites, AFullChannelTakesNoMoreAndCountsNone) {
  Door door = open(writable(true));
  AlignedBuffer buffer(kWritten);
  DoorChannel channel(door, buffer.all());
  for (BlockId block = 0; block < 8; ++block) {
    ASSERT_TRUE(channel.write(0, block, 1, buffer.at(0), block));
  }
  const std::uint32_t sum = door.file(0).sums[20];
  EXPECT_FALSE(channel.write(0, 20, 1, buffer.at(0), 20));
  EXPECT_FALSE(channel.sync(0, 21));
  EXPECT_EQ(door.file(0).sums[20], sum);
  EXPECT_EQ(channel.counters().write_requests, 8U);
  EXPECT_EQ(channel.counters().syncs, 0U);
  EXPECT_EQ(reap_all(channel).size(), 8U);
  EXPECT_TRUE(channel.sync(0, 21));
  reap_all(channel);
}

TEST_P(DoorWrites, OfDifferentBlocksComeFromSeveralThreadsAtOnce) {
  Door door = open(writable(true));
  const auto write_every_other = [&](BlockId first) {
    AlignedBuffer buffer(kWritten);
    std::fill(buffer.all().begin(), buffer.all().end(), static_cast<std::byte>(first + 1));
    DoorChannel channel(door, buffer.all());
    for (BlockId block = first; block < kWrittenBlocks; block += 2) {
      while (!channel.write(0, block, 1, buffer.at(0), block)) reap_all(channel);
    }
    reap_all(channel);
  };
  {
    const std::jthread other([&] { write_every_other(0); });
    write_every_other(1);
  }
  AlignedBuffer buffer(kWrittenBlocks * kWritten);
  DoorChannel channel(door, buffer.all());
  ASSERT_TRUE(channel.read(0, 0, kWrittenBlocks, buffer.at(0), 0));
  reap_all(channel);
  for (BlockId block = 0; block < kWrittenBlocks; ++block) {
    EXPECT_EQ(*buffer.at(block * kWritten), static_cast<std::byte>(block % 2 + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(All, DoorWrites, testing::Values("uring", "threads", "mem", "fault"),
                         [](const auto& backend) { return std::string(backend.param); });

TEST(Door, RefusesToWriteThroughABackendThatOnlyReads) {
  const PatternedFile file(kWritten);
  BlockFile blocks = file.block_file(kWritten);
  blocks.writable = true;
  try {
    const Door door({blocks}, "mmap", {});
    ADD_FAILURE() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("backend mmap only reads"));
  }
}

}  // namespace
}  // namespace outcore
