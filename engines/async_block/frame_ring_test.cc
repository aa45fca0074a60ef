// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/frame_ring.h"

#include <gtest/gtest.h>

#include <set>

namespace outcore {
namespace {

class FrameRingTest : public ::testing::Test {
 protected:
  // The first frame and how many: {0, 0} for none.
  std::pair<std::uint32_t, std::uint32_t> take(std::uint32_t most) {
    const FrameRing::Run run = ring_.take(most, [&](std::uint32_t block, const std::byte* frame) {
      EXPECT_EQ((frame - memory_.data()) % 64, 0);
      return !needed_.contains(block);
    });
    return {run.first, run.frames};
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(8 * 64);
  FrameRing ring_{memory_, 64};
  std::set<std::uint32_t> needed_;
};
using Frames = std::pair<std::uint32_t, std::uint32_t>;

TEST_F(FrameRingTest, TakesNeighboursAndGoesOn) {
  EXPECT_EQ(take(3), Frames(0, 3));
  EXPECT_EQ(take(3), Frames(3, 3));
  EXPECT_EQ(take(3), Frames(6, 2)) << "no run goes round the end";
  EXPECT_EQ(take(3), Frames(0, 0)) << "all are being read into";
}

TEST_F(FrameRingTest, BlocksStayUntilTheHandComesRound) {
  EXPECT_EQ(take(8), Frames(0, 8));
  for (std::uint32_t f = 0; f < 8; ++f) ring_.holds(f, 100 + f);
  needed_ = {100, 103};
  EXPECT_EQ(take(8), Frames(1, 2));
  EXPECT_EQ(take(2), Frames(4, 2));
  EXPECT_EQ(take(8), Frames(6, 2));
  EXPECT_EQ(take(8), Frames(0, 0));
  needed_.clear();
  EXPECT_EQ(take(8), Frames(0, 1)) << "1 and 2 are being read into";
}

TEST_F(FrameRingTest, WhatIsGivenIsTakenAgain) {
  EXPECT_EQ(take(8), Frames(0, 8));
  ring_.give(5);
  EXPECT_EQ(take(8), Frames(5, 1));
  ring_.holds(5, 7);
  std::vector<std::uint32_t> forgotten;
  ring_.give(0);
  ring_.give_all([&](std::uint32_t block, const std::byte*) { forgotten.push_back(block); });
  EXPECT_EQ(take(8).second + take(8).second, 8U);
}

}  // namespace
}  // namespace outcore
