// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/waiting_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint32_t> popped(WaitingBlocks& waiting, std::size_t most = 1000) {
  std::vector<std::uint32_t> blocks;
  while (!waiting.empty() && blocks.size() < most) blocks.push_back(waiting.pop().block);
  return blocks;
}

TEST(WaitingBlocks, TheSoonestComesFirst) {
  WaitingBlocks waiting;
  waiting.push(3, 10, 10);
  waiting.push(-1, 30, 30);
  waiting.push(2, 20, 20);
  EXPECT_THAT(popped(waiting), ElementsAre(30, 20, 10));
}

TEST(WaitingBlocks, EqualOnesComeInTheOrderOfTheFile) {
  WaitingBlocks waiting;
  for (const std::uint32_t block : {7U, 3U, 9U, 4U}) waiting.push(0, block, block);
  EXPECT_THAT(popped(waiting), ElementsAre(3, 4, 7, 9));
}

// Long lists have numbers of their own and stand where their data does.
TEST(WaitingBlocks, PositionsDecideAndNotNumbers) {
  WaitingBlocks waiting;
  waiting.push(0, 5, 5);
  waiting.push(0, 100, 3);
  waiting.push(0, 7, 7);
  EXPECT_THAT(popped(waiting), ElementsAre(100, 5, 7));
}

// Like a lift: a block behind the current position waits for the next sweep, one ahead of it is
// taken in this sweep.
TEST(WaitingBlocks, SweepsGoOnFromWhereTheyAre) {
  WaitingBlocks waiting;
  for (const std::uint32_t block : {2U, 5U, 8U}) waiting.push(0, block, block);
  EXPECT_THAT(popped(waiting, 2), ElementsAre(2, 5));
  for (const std::uint32_t block : {1U, 5U, 6U}) waiting.push(0, block, block);
  EXPECT_THAT(popped(waiting), ElementsAre(6, 8, 1, 5));
}

TEST(WaitingBlocks, TheStaleGoAndTheOthersKeepTheirOrder) {
  WaitingBlocks waiting;
  for (const std::uint32_t block : {4U, 2U, 9U, 7U, 1U}) waiting.push(0, block, block);
  waiting.push(-1, 8, 8);
  waiting.forget_if([](const WaitingBlocks::Entry& entry) { return entry.block % 2 == 1; });
  EXPECT_THAT(popped(waiting), ElementsAre(8, 2, 4));
}

}  // namespace
}  // namespace outcore
