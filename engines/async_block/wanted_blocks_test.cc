// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/wanted_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::ElementsAre;

class WantedBlocksTest : public ::testing::Test {
 protected:
  // The next request, with as many frames as there are, and what it brings: block, begin, end.
  struct Request {
    BlockRun run;
    std::vector<std::vector<std::uint64_t>> parts;
    std::uint32_t holes = 0;
  };
  Request next(const MergeLimits& limits, std::uint32_t frames = 1000, std::uint64_t holes = 1000) {
    Request request{.run = wanted_.plan(limits, holes), .parts = {}};
    request.run.blocks = std::min(request.run.blocks, frames);
    std::vector<WantedBlocks::Part> parts;
    request.holes = wanted_.take(request.run, parts);
    for (const auto& part : parts) request.parts.push_back({part.block, part.begin, part.end});
    return request;
  }
  WantedBlocks wanted_;
};

TEST_F(WantedBlocksTest, NeighboursComeTogether) {
  wanted_.add({3, 3, 4});
  wanted_.add({4, 4, 5});
  wanted_.add({7, 7, 8});
  const Request first = next({.max_blocks = 16});
  EXPECT_EQ(first.run, (BlockRun{3, 2}));
  EXPECT_THAT(first.parts, ElementsAre(ElementsAre(3, 3, 4), ElementsAre(4, 4, 5)));
  EXPECT_EQ(next({.max_blocks = 16}).run, (BlockRun{7, 1}));
  EXPECT_TRUE(wanted_.empty());
}

// 100 and 101 are long lists: one ends and the other begins in disk block 5, which holds short
// ones.
TEST_F(WantedBlocksTest, ASharedBlockIsReadOnceForAll) {
  wanted_.add({100, 2, 6});
  wanted_.add({5, 5, 6});
  wanted_.add({101, 5, 9});
  const Request request = next({.max_blocks = 16});
  EXPECT_EQ(request.run, (BlockRun{2, 7}));
  EXPECT_EQ(request.holes, 0U);
  EXPECT_THAT(request.parts,
              ElementsAre(ElementsAre(100, 2, 6), ElementsAre(5, 5, 6), ElementsAre(101, 5, 9)));
}

TEST_F(WantedBlocksTest, ALongListComesInAsManyRequestsAsItNeeds) {
  wanted_.add({100, 2, 10});
  EXPECT_THAT(next({.max_blocks = 4}).parts, ElementsAre(ElementsAre(100, 2, 6)));
  EXPECT_THAT(next({.max_blocks = 4}, 1).parts, ElementsAre(ElementsAre(100, 6, 7)));
  EXPECT_THAT(next({.max_blocks = 4}).parts, ElementsAre(ElementsAre(100, 7, 10)));
  EXPECT_TRUE(wanted_.empty());
}

TEST_F(WantedBlocksTest, HolesAreReadThroughUpToTheirLimit) {
  wanted_.add({1, 1, 2});
  wanted_.add({4, 4, 5});
  wanted_.add({8, 8, 9});
  const Request request = next({.max_blocks = 16, .max_hole = 2});
  EXPECT_EQ(request.run, (BlockRun{1, 4}));
  EXPECT_EQ(request.holes, 2U);
  EXPECT_THAT(request.parts, ElementsAre(ElementsAre(1, 1, 2), ElementsAre(4, 4, 5)));
}

TEST_F(WantedBlocksTest, HolesOfARequestAreNoMoreThanItMayHave) {
  for (const BlockId b : {1, 3, 5, 6, 8}) wanted_.add({static_cast<std::uint32_t>(b), b, b + 1});
  const MergeLimits limits = {.max_blocks = 16, .max_hole = 1};
  const Request two = next(limits, 1000, 2);
  EXPECT_EQ(two.run, (BlockRun{1, 6}));
  EXPECT_EQ(two.holes, 2U);
  EXPECT_EQ(next(limits, 1000, 0).run, (BlockRun{8, 1}));
}

TEST_F(WantedBlocksTest, WhatComesEarlierInTheFileComesByAnotherRequest) {
  wanted_.add({5, 5, 6});
  wanted_.add({4, 4, 5});
  EXPECT_EQ(next({.max_blocks = 16}).run, (BlockRun{5, 1}));
  EXPECT_EQ(next({.max_blocks = 16}).run, (BlockRun{4, 1}));
}

TEST_F(WantedBlocksTest, TheRestOfAListCanBeForgotten) {
  wanted_.add({100, 2, 10});
  wanted_.add({11, 11, 12});
  next({.max_blocks = 4});
  EXPECT_EQ(wanted_.forget(100), 4U);
  EXPECT_EQ(next({.max_blocks = 4}).run, (BlockRun{11, 1}));
  EXPECT_EQ(wanted_.forget(100), 0U);
}

// Of a list the later parts are as urgent as the first.
TEST_F(WantedBlocksTest, TheMostUrgentIsKnown) {
  EXPECT_EQ(wanted_.soonest(), kQuiet);
  wanted_.add({100, 2, 10, 7});
  wanted_.add({20, 20, 21, 5});
  wanted_.add({30, 30, 31});
  EXPECT_EQ(wanted_.soonest(), 5);
  std::vector<WantedBlocks::Part> parts;
  wanted_.take({2, 4}, parts);
  EXPECT_EQ(WantedBlocks::soonest_of(parts), 7);
  wanted_.forget(20);
  EXPECT_EQ(wanted_.soonest(), 7) << "the rest of the list";
}

}  // namespace
}  // namespace outcore
