// SPDX-License-Identifier: Apache-2.0
// Striped files: where blocks lie, and runs that the door cuts into requests.
#include "storage/io/striping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

constexpr std::uint32_t kStripedBlock = 4096;

TEST(Striping, LaysEachBlockOnceRoundRobin) {
  for (const std::uint32_t files : {1U, 2U, 3U, 7U}) {
    for (const std::uint32_t unit : {1U, 4U, 16U}) {
      const Striping striping{files, unit};
      for (const std::uint64_t blocks : {0U, 1U, 5U, 16U, 100U, 101U}) {
        std::set<std::pair<std::uint32_t, BlockId>> places;
        std::vector<std::uint64_t> counts(files);
        for (BlockId block = 0; block < blocks; ++block) {
          const Striping::At at = striping.at(block);
          EXPECT_EQ(at.file, block / unit % files);
          EXPECT_EQ(at.run, unit - block % unit);
          EXPECT_TRUE(places.emplace(at.file, at.block).second);
          ++counts[at.file];
        }
        for (std::uint32_t file = 0; file < files; ++file) {
          EXPECT_EQ(striping.blocks_of(file, blocks), counts[file]) << files << unit << blocks;
          EXPECT_LE(counts.front() - counts[file], unit) << "within a unit of equal";
          EXPECT_TRUE(counts[file] == 0 || places.contains({file, counts[file] - 1})) << "no gaps";
        }
      }
    }
  }
}

// A patterned file of 61 blocks over three, four blocks at a time.
class StripedDoors : public testing::TestWithParam<const char*> {
 protected:
  static constexpr std::uint64_t kBlocks = 61;
  static constexpr std::uint32_t kUnit = 4;

  StripedDoors() : block_file_(file_.block_file(kStripedBlock)) {
    block_file_.stripe_blocks = kUnit;
    for (int stripe = 0; stripe < 3; ++stripe) {
      block_file_.stripes.push_back(file_.path().string() + "." + std::to_string(stripe));
      File::create(block_file_.stripes.back());
    }
    std::vector<std::byte> block(kStripedBlock);
    for (BlockId number = 0; number < kBlocks; ++number) {
      File::open_read(file_.path()).read(block, number * kStripedBlock);
      const Striping::At at = block_file_.striping().at(number);
      File::open_update(block_file_.stripes[at.file]).write_at(block, at.block * kStripedBlock);
    }
    std::filesystem::resize_file(file_.path(), 0);  // nobody needs it
  }
  void TearDown() override {
    for (const auto& stripe : block_file_.stripes) std::filesystem::remove(stripe);
  }

  PatternedFile file_{kBlocks * kStripedBlock};
  BlockFile block_file_;
};

// Runs of every length from every block, more at once than the backend takes requests.
TEST_P(StripedDoors, RunsThatCrossStripesArriveWholeAndAreCountedByPiece) {
  for (const unsigned depth : {1U, 2U, 8U}) {
    Door door({block_file_}, GetParam(), {.depth = depth});
    AlignedBuffer buffer(std::size_t{depth} * kBlocks * kStripedBlock);
    std::uint64_t pieces = 0;
    {
      DoorChannel channel(door, buffer.all());
      for (BlockId first = 0; first < kBlocks; first += depth) {
        const auto length = [&](BlockId from) {
          return static_cast<std::uint32_t>(std::min<BlockId>(kBlocks - from, 1 + from % 23));
        };
        const BlockId end = std::min<BlockId>(first + depth, kBlocks);
        for (BlockId from = first; from < end; ++from) {
          std::byte* const into = buffer.at((from - first) * kBlocks * kStripedBlock);
          ASSERT_TRUE(channel.read(0, from, length(from), into, from));
          pieces += (from + length(from) - 1) / kUnit - from / kUnit + 1;
        }
        EXPECT_EQ(channel.in_flight(), end - first);
        std::vector<std::uint64_t> tags(depth);
        std::size_t reaped = 0;
        while (channel.in_flight() > 0) reaped += channel.reap(tags, 1);
        EXPECT_EQ(reaped, end - first);
        for (BlockId from = first; from < end; ++from) {
          std::byte* const into = buffer.at((from - first) * kBlocks * kStripedBlock);
          EXPECT_TRUE(PatternedFile::right({into, std::size_t{length(from)} * kStripedBlock},
                                           from * kStripedBlock));
        }
      }
    }
    const IoCounters counters = door.counters();
    EXPECT_EQ(counters.requests, pieces);
    ASSERT_EQ(counters.stripe_requests.size(), 3U);
    EXPECT_EQ(
        counters.stripe_requests[0] + counters.stripe_requests[1] + counters.stripe_requests[2],
        pieces);
    for (const std::uint64_t requests : counters.stripe_requests) EXPECT_GT(requests, pieces / 4);
    EXPECT_EQ(counters.json().at("requests_by_stripe").size(), 3U);
  }
}

TEST_P(StripedDoors, DamageIsNamedByStripeAndItsOffset) {
  {
    const File stripe = File::open_update(block_file_.stripes[1]);
    std::byte byte;
    stripe.read({&byte, 1}, 5 * kStripedBlock + 17);
    byte ^= std::byte{1};
    File::open_update(stripe.path()).write_at({&byte, 1}, 5 * kStripedBlock + 17);
  }
  Door door({block_file_}, GetParam(), {.depth = 8});
  AlignedBuffer buffer(kBlocks * kStripedBlock);
  DoorChannel channel(door, buffer.all());
  ASSERT_TRUE(channel.read(0, 0, kBlocks, buffer.at(0), 1));
  std::array<std::uint64_t, 1> tag{};
  try {
    channel.reap(tag, 1);
    FAIL() << "a flipped bit went through";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_THAT(error.what(), testing::HasSubstr(block_file_.stripes[1].string() + " at offset " +
                                                 std::to_string(5 * kStripedBlock)));
    EXPECT_THAT(error.what(), testing::HasSubstr("block 17 is damaged"));
  }
}

TEST_P(StripedDoors, AStripeThatWasCutIsRefused) {
  std::filesystem::resize_file(block_file_.stripes[2], 7 * kStripedBlock);
  try {
    const Door door({block_file_}, GetParam(), {.depth = 8});
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr(block_file_.stripes[2].string()));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, StripedDoors, testing::Values("threads", "uring", "mem"));

TEST_P(StripedDoors, AreNotMappedAndNotWritten) {
  BlockFile writable = block_file_;
  writable.writable = true;
  for (const auto& [file, backend] :
       {std::pair{block_file_, "mmap"}, std::pair{writable, "threads"}}) {
    try {
      const Door door({file}, backend, {.depth = 8});
      FAIL() << backend;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), testing::HasSubstr("build the layout without --disks"));
    }
  }
}

}  // namespace
}  // namespace outcore
