// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/block_source.h"

#include <gtest/gtest.h>

#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

constexpr std::uint32_t kBlock = 4096;

class FrameSources : public testing::Test {
 protected:
  void ask(BlockId first) { source_->ask(source_->take(), 0, {.first = first, .blocks = 1}); }

  PatternedFile file_{16 * kBlock};
  Door door_{{file_.block_file(kBlock)}, "mem", {.depth = 2}};
  FrameArena arena_{4, kBlock, 0};
  std::unique_ptr<BlockSource> source_ = frame_source(door_, arena_, 2);
};

TEST_F(FrameSources, WhatHasComeLeavesRoomForAsMuchAgain) {
  ask(3);
  ask(5);
  EXPECT_EQ(source_->coming(), 2U);
  EXPECT_EQ(source_->room(), 0U);

  EXPECT_EQ(source_->arrived(true).size(), 2U);
  EXPECT_EQ(source_->held(), 2U);
  EXPECT_EQ(source_->room(), 2U);
  ask(7);
  ask(9);
  EXPECT_EQ(source_->room(), 0U);
}

TEST_F(FrameSources, AsksForNoMoreThanItHasFrames) {
  for (const BlockId first : {0, 2, 4, 6}) {
    if (source_->room() == 0) source_->arrived(true);
    ask(first);
  }
  const std::span<const BlockSource::Ticket> last = source_->arrived(true);
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(source_->coming(), 0U);
  EXPECT_EQ(source_->held(), 4U);
  EXPECT_EQ(source_->room(), 0U);

  const BlockSource::Ticket used = last.front();
  source_->release(used);
  source_->give_back(used);
  EXPECT_EQ(source_->room(), 1U);
}

TEST_F(FrameSources, EachTicketHasItsBlock) {
  std::vector<BlockId> asked(source_->tickets());
  for (const BlockId first : {11, 4}) {
    const BlockSource::Ticket ticket = source_->take();
    asked[ticket] = first;
    EXPECT_FALSE(source_->ask(ticket, 0, {.first = first, .blocks = 1}));
  }
  for (const BlockSource::Ticket ticket : source_->arrived(true)) {
    EXPECT_TRUE(PatternedFile::right({source_->data(ticket), kBlock}, asked[ticket] * kBlock));
  }
}

}  // namespace
}  // namespace outcore
