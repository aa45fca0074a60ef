// SPDX-License-Identifier: Apache-2.0
#include "storage/source/block_source.h"

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

TEST(CacheSources, AskForSeveralAtOnceAndSayWhichAreThere) {
  PatternedFile file(16 * kBlock);
  Door door({file.block_file(kBlock)}, "mem", {.depth = 4});
  BlockCache cache(door, 1, find_policy("clock"), 8 * kBlock, 4, 1);
  const std::unique_ptr<BlockSource> source = cache.source(door, 0, 4);
  const auto request = [&](BlockId first) {
    return BlockSource::Request{source->take(), {.first = first, .blocks = 1}};
  };
  std::vector<BlockSource::Ticket> there;
  source->ask(std::vector{request(3), request(9), request(3)}, 0, there);
  EXPECT_TRUE(there.empty());
  std::size_t come = 0;
  while (source->coming() > 0) {
    for (const BlockSource::Ticket ticket : source->arrived(true)) {
      ++come;
      source->release(ticket);
      source->give_back(ticket);
    }
  }
  EXPECT_EQ(come, 3U);
  EXPECT_EQ(cache.pool().counters().loads, 2U);

  const BlockSource::Request again = request(9);
  source->ask(std::vector{again, request(12)}, 0, there);
  ASSERT_EQ(there, std::vector{again.ticket});
  EXPECT_TRUE(PatternedFile::right({source->data(again.ticket), kBlock}, 9 * kBlock));
}

}  // namespace
}  // namespace outcore
