// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Executor& alone() {
  static Executor executor(1);
  return executor;
}

// Of blocks that have so many members each.
BlockTable table_of(const std::vector<std::size_t>& members) {
  return {members.size(), *std::max_element(members.begin(), members.end()),
          [&](std::size_t b) { return members[b]; }, alone()};
}

std::vector<std::uint32_t> taken(BlockTable& table, std::size_t b) {
  std::vector<std::uint32_t> members;
  table[b].lock();
  table.take(b, members);
  table[b].unlock();
  return members;
}

void add(BlockTable& table, std::size_t b, std::uint32_t member) {
  table[b].lock();
  table.add(b, member);
  table[b].unlock();
}

TEST(BlockTable, ElevenMembersAreAListInTheOrderTheyCame) {
  BlockTable table = table_of({342});
  for (std::uint32_t i = 0; i < 11; ++i) add(table, 0, 300 - i);
  EXPECT_FALSE(table[0].is_bitmap);
  EXPECT_THAT(taken(table, 0), ElementsAre(300, 299, 298, 297, 296, 295, 294, 293, 292, 291, 290));
  EXPECT_THAT(taken(table, 0), IsEmpty());
}

TEST(BlockTable, TheTwelfthMakesABitmapOfIt) {
  BlockTable table = table_of({342});
  for (std::uint32_t i = 0; i < 12; ++i) add(table, 0, 341 - i * 31);
  EXPECT_TRUE(table[0].is_bitmap);
  EXPECT_EQ(table[0].active, 12);
  EXPECT_THAT(taken(table, 0), ElementsAre(0, 31, 62, 93, 124, 155, 186, 217, 248, 279, 310, 341));
  EXPECT_FALSE(table[0].is_bitmap) << "an empty set is a list again";
  EXPECT_THAT(taken(table, 0), IsEmpty());
}

TEST(BlockTable, ContainsWhatWasAddedAsAListAndAsABitmap) {
  BlockTable table = table_of({342});
  for (const std::uint32_t members : {5U, 100U}) {
    for (std::uint32_t i = 0; i < members; ++i) add(table, 0, 3 * i);
    for (std::uint32_t member = 0; member < 342; ++member) {
      EXPECT_EQ(table.contains(0, member), member % 3 == 0 && member / 3 < members) << member;
    }
    taken(table, 0);
    EXPECT_FALSE(table.contains(0, 0));
  }
}

TEST(BlockTable, AMemberIsInTheSetOnce) {
  BlockTable table = table_of({342});
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      table[0].lock();
      EXPECT_EQ(table.add(0, i % 5), i < 5);
      table[0].unlock();
    }
    EXPECT_THAT(taken(table, 0), ElementsAre(0, 1, 2, 3, 4));
  }
}

// Layouts without inlining, or encoded ones of large blocks: more vertices than a line has bits.
TEST(BlockTable, BlocksOfMoreVerticesKeepTheirBitmapsBesideTheLine) {
  constexpr std::uint32_t kMost = 16384;
  BlockTable table = table_of({kMost, kMost, kMost});
  EXPECT_EQ(table_of({352, 352, 352}).memory_bytes(), 3 * 64U);
  EXPECT_EQ(table.memory_bytes(), 3 * (64 + kMost / 8) + 4 * 8) << "and where each begins";
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kMost; i += 7) {
    add(table, 1, i);
    expected.push_back(i);
  }
  add(table, 2, kMost - 1);
  EXPECT_EQ(taken(table, 1), expected);
  EXPECT_THAT(taken(table, 0), IsEmpty());
  EXPECT_THAT(taken(table, 2), ElementsAre(kMost - 1));
}

TEST(BlockTable, EachBitmapIsAsLongAsItsBlockHasMembers) {
  BlockTable table = table_of({400, 1000, 33});
  EXPECT_EQ(table.memory_bytes(), 3 * 64 + 4 * 8 + 4 * (13 + 32 + 2));
  const std::size_t sizes[] = {400, 1000, 33};
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::uint32_t i = 0; i < sizes[b]; ++i) add(table, b, i);
  }
  for (std::size_t b = 0; b < 3; ++b) {
    std::vector<std::uint32_t> all(sizes[b]);
    std::iota(all.begin(), all.end(), 0U);
    EXPECT_EQ(taken(table, b), all) << b;
  }
}

TEST(Block, LockAndDataShareAWord) {
  alignas(64) std::byte frame[64];
  Block block;
  block.lock();
  block.set_data(frame);
  EXPECT_EQ(block.data(), frame);
  block.unlock();
  EXPECT_EQ(block.data(), frame);
  block.lock();
  block.set_data(nullptr);
  block.unlock();
  EXPECT_EQ(block.data(), nullptr);
}

}  // namespace
}  // namespace outcore
