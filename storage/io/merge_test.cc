// SPDX-License-Identifier: Apache-2.0
#include "storage/io/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<BlockRun> merge(const std::vector<BlockId>& blocks, const MergeLimits& limits) {
  HoleBudget any;
  return merge_blocks(blocks, limits, any);
}

TEST(MergeBlocks, NothingNeededIsNothingRead) {
  EXPECT_THAT(merge({}, {.max_blocks = 8}), IsEmpty());
}

TEST(MergeBlocks, NeighboursBecomeOneRunUpToTheLimit) {
  const std::vector<BlockId> blocks = {3, 4, 5, 9, 10};
  EXPECT_THAT(merge(blocks, {.max_blocks = 2}),
              ElementsAre(BlockRun{3, 2}, BlockRun{5, 1}, BlockRun{9, 2}));
  EXPECT_THAT(merge(blocks, {.max_blocks = 64}), ElementsAre(BlockRun{3, 3}, BlockRun{9, 2}));
}

TEST(MergeBlocks, HolesAreSpannedOnlyWhereAllowed) {
  const std::vector<BlockId> blocks = {0, 2, 6};
  EXPECT_THAT(merge(blocks, {.max_blocks = 64, .max_hole = 1}),
              ElementsAre(BlockRun{0, 3}, BlockRun{6, 1}));
  EXPECT_THAT(merge(blocks, {.max_blocks = 64, .max_hole = 3}), ElementsAre(BlockRun{0, 7}));
  EXPECT_THAT(merge(blocks, {.max_blocks = 2, .max_hole = 3}),
              ElementsAre(BlockRun{0, 1}, BlockRun{2, 1}, BlockRun{6, 1}));
}

// One unneeded block per two needed ones: one is allowed after 2 needed blocks, two after 4.
TEST(MergeBlocks, HolesAreNoMoreThanTheirShareOfWhatIsNeeded) {
  const std::vector<BlockId> blocks = {0, 2, 4, 6, 8};
  HoleBudget half(0.5);
  EXPECT_THAT(merge_blocks(blocks, {.max_blocks = 64, .max_hole = 1}, half),
              ElementsAre(BlockRun{0, 3}, BlockRun{4, 3}, BlockRun{8, 1}));
  EXPECT_EQ(half.left(), 0U);
  // The budget continues from one round to the next.
  EXPECT_THAT(merge_blocks(std::vector<BlockId>{1, 3}, {.max_blocks = 64, .max_hole = 1}, half),
              ElementsAre(BlockRun{1, 3}));
  HoleBudget none(0);
  EXPECT_THAT(merge_blocks(std::vector<BlockId>{0, 1, 3}, {.max_blocks = 64, .max_hole = 1}, none),
              ElementsAre(BlockRun{0, 2}, BlockRun{3, 1}));
}

TEST(RequestCost, AHoleIsReadThroughWhileItsBytesCostLessThanARequest) {
  EXPECT_EQ(RequestCost{}.hole_blocks(4096), 0U);
  EXPECT_EQ(kMeasuredCost.hole_blocks(4096), 2U);  // 5.5 us are worth 9.6 KB
  EXPECT_EQ(kMeasuredCost.hole_blocks(16384), 0U);
  EXPECT_EQ((RequestCost{.us = 10, .us_per_kb = 1}.hole_blocks(1024)), 10U);
  EXPECT_EQ((RequestCost{.us = 1e9, .us_per_kb = 1e-9}.hole_blocks(4096)), 1024U);
}

TEST(RequestCost, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_request_cost("off", "--holes"), RequestCost{});
  EXPECT_EQ(parse_request_cost("7+0.25", "--holes"), (RequestCost{.us = 7, .us_per_kb = 0.25}));
  for (const char* text :
       {"", "of", "7", "7+", "+1", "7+1x", "0+1", "7+0", "-7+1", "nan+1", "7+inf"}) {
    EXPECT_THROW(parse_request_cost(text, "--holes"), Error) << text;
  }
}

}  // namespace
}  // namespace outcore
