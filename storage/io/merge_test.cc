// SPDX-License-Identifier: Apache-2.0
#include "storage/io/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MergeBlocks, NothingNeededIsNothingRead) {
  EXPECT_THAT(merge_blocks({}, {.max_blocks = 8}), IsEmpty());
}

TEST(MergeBlocks, NeighboursBecomeOneRunUpToTheLimit) {
  const std::vector<BlockId> blocks = {3, 4, 5, 9, 10};
  EXPECT_THAT(merge_blocks(blocks, {.max_blocks = 2}),
              ElementsAre(BlockRun{3, 2}, BlockRun{5, 1}, BlockRun{9, 2}));
  EXPECT_THAT(merge_blocks(blocks, {.max_blocks = 64}),
              ElementsAre(BlockRun{3, 3}, BlockRun{9, 2}));
}

TEST(MergeBlocks, HolesAreSpannedOnlyWhereAllowed) {
  const std::vector<BlockId> blocks = {0, 2, 6};
  EXPECT_THAT(merge_blocks(blocks, {.max_blocks = 64, .max_hole = 1}),
              ElementsAre(BlockRun{0, 3}, BlockRun{6, 1}));
  EXPECT_THAT(merge_blocks(blocks, {.max_blocks = 64, .max_hole = 3}), ElementsAre(BlockRun{0, 7}));
  EXPECT_THAT(merge_blocks(blocks, {.max_blocks = 2, .max_hole = 3}),
              ElementsAre(BlockRun{0, 1}, BlockRun{2, 1}, BlockRun{6, 1}));
}

TEST(RequestCost, AHoleIsReadThroughWhileItsBytesCostLessThanARequest) {
  EXPECT_EQ(RequestCost{}.hole_blocks(4096), 0U);
  EXPECT_EQ(kMeasuredCost.hole_blocks(4096), 2U);  // 5.5 us buy 9.6 KB
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
