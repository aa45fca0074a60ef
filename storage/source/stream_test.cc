// SPDX-License-Identifier: Apache-2.0
#include "storage/source/stream.h"

#include <gtest/gtest.h>

#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

constexpr std::uint32_t kStreamBlock = 4096;
constexpr std::uint64_t kStreamBlocks = 100;

class BlockStreamTest : public ::testing::Test {
 protected:
  PatternedFile file_{kStreamBlocks * kStreamBlock};
  Door door_{{file_.block_file(kStreamBlock)}, "uring", {.depth = 4}};
  AlignedBuffer buffer_{kStreamBlocks * kStreamBlock};
  DoorChannel channel_{door_, buffer_.all()};
  BlockStream stream_{door_, channel_, 8 * kStreamBlock};
};

TEST_F(BlockStreamTest, ReadsAWholeFileInLargeRequestsInOrder) {
  std::vector<BlockRun> asked;
  stream_.read(0, 0, kStreamBlocks, buffer_.at(0),
               [&](const BlockRun& run) { asked.push_back(run); });
  EXPECT_TRUE(PatternedFile::right(buffer_.all(), 0));
  ASSERT_EQ(asked.size(), 13U);  // 12 of 8 blocks, one of 4
  EXPECT_EQ(asked[3], (BlockRun{24, 8}));
  EXPECT_EQ(asked.back(), (BlockRun{96, 4}));
  EXPECT_EQ(door_.counters().requests, 13U);
  EXPECT_EQ(door_.counters().requested_bytes, kStreamBlocks * kStreamBlock);
}

TEST_F(BlockStreamTest, ReadsAnIntervalAndNothingElse) {
  stream_.read(0, 37, 11, buffer_.at(0));
  EXPECT_TRUE(
      PatternedFile::right({buffer_.at(0), 11 * kStreamBlock}, std::uint64_t{37} * kStreamBlock));
  EXPECT_EQ(door_.counters().requests, 2U);
  EXPECT_EQ(door_.counters().requested_bytes, 11U * kStreamBlock);
}

TEST_F(BlockStreamTest, ReadsNothingOfAnEmptyInterval) {
  stream_.read(0, kStreamBlocks, 0, buffer_.at(0));
  EXPECT_EQ(door_.counters().requests, 0U);
}

}  // namespace
}  // namespace outcore
