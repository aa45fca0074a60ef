// SPDX-License-Identifier: Apache-2.0
#include "storage/io/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace outcore
