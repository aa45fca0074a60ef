// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/batch_size.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

BatchSize after_bad(int batches) {
  BatchSize size(64);
  for (int batch = 0; batch < batches; ++batch) size.note(64, 64);
  return size;
}

TEST(BatchSize, OfVerticesThatTellOneAnotherIsOne) {
  EXPECT_EQ(BatchSize(64).now(), 64U);
  EXPECT_FALSE(after_bad(2).order_matters());
  EXPECT_TRUE(after_bad(3).order_matters());
  EXPECT_EQ(after_bad(3).now(), 1U);
}

// Or most of what is done would be done in vain: many at once cost as much as many one by one.
TEST(BatchSize, TriesManyAgainAfterManyMoreThatWentWell) {
  BatchSize size = after_bad(10);
  int batches = 0;
  for (; size.order_matters(); ++batches) size.note(1, 0);
  EXPECT_GT(batches, 3 * 64);
  EXPECT_EQ(size.now(), 64U);
}

TEST(BatchSize, WhereEachBatchSaysWhetherOrderMattersBeginsOneByOneAndNeedsNoTrial) {
  BatchSize size = BatchSize::in_turn(64);
  for (int batch = 0; batch < 1000; ++batch) size.note(64, 60);
  ASSERT_TRUE(size.order_matters());
  int well = 0;
  for (; size.order_matters(); ++well) size.note(64, 0);
  EXPECT_LT(well, 10);
}

TEST(BatchSize, ABadOneNowAndThenIsNothing) {
  BatchSize size(64);
  for (int batch = 0; batch < 1000; ++batch) {
    size.note(64, batch % 9 == 0 ? 64 : 0);
    ASSERT_FALSE(size.order_matters());
  }
}

TEST(BatchSize, AFewOfManyAreNothingEither) {
  BatchSize size(64);
  for (int batch = 0; batch < 1000; ++batch) size.note(64, 2);
  EXPECT_FALSE(size.order_matters());
}

}  // namespace
}  // namespace outcore
