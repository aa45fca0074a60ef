// SPDX-License-Identifier: Apache-2.0
// Which chunk goes, by each policy.
#include "engines/chunk_mmap/chunk_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A buffer of four chunks that are there, and what leaves when others come.
class ChunkBuffers : public ::testing::Test {
 protected:
  ChunkBuffer full(Eviction eviction) {
    ChunkBuffer buffer(eviction, hotness_.data());
    for (ChunkId chunk = 0; chunk < 4; ++chunk) buffer.add(chunk);
    return buffer;
  }
  bool comes(ChunkBuffer& buffer, ChunkId chunk, bool dense = false) {
    return buffer.replace(
        chunk, dense, [&](ChunkId other) { return other != in_use_; }, left_);
  }

  std::vector<std::uint32_t> hotness_ = {10, 400, 10, 1, 0, 0, 0, 0};
  std::vector<ChunkId> left_;
  ChunkId in_use_ = ~ChunkId{0};
};

TEST_F(ChunkBuffers, PrefixKeepsWhatIsThereInDenseRoundsAlone) {
  ChunkBuffer buffer = full(Eviction::prefix);
  EXPECT_FALSE(comes(buffer, 4, /*dense=*/true));
  EXPECT_THAT(left_, IsEmpty());
  EXPECT_TRUE(comes(buffer, 4, /*dense=*/false));
  EXPECT_THAT(left_, ElementsAre(0));
}

TEST_F(ChunkBuffers, KnownGivesUpWhatTheRoundDoesNotWant) {
  ChunkBuffer buffer = full(Eviction::known);
  Bitmap wanted(8);
  for (const ChunkId chunk : {0, 2, 3, 4, 5}) wanted.set(chunk);
  buffer.begin_round(wanted);
  EXPECT_TRUE(comes(buffer, 4, /*dense=*/true));
  EXPECT_THAT(left_, ElementsAre(1));
  EXPECT_FALSE(comes(buffer, 5, /*dense=*/true)) << "all that are there are wanted";
}

TEST_F(ChunkBuffers, FifoGoesInTheOrderInWhichChunksCame) {
  ChunkBuffer buffer = full(Eviction::fifo);
  for (ChunkId chunk = 4; chunk < 8; ++chunk) EXPECT_TRUE(comes(buffer, chunk, true));
  EXPECT_THAT(left_, ElementsAre(0, 1, 2, 3));
  comes(buffer, 0);
  EXPECT_EQ(left_.back(), 4U);
}

TEST_F(ChunkBuffers, ChunksInUseStayAndTheNextOneGoes) {
  ChunkBuffer buffer = full(Eviction::fifo);
  in_use_ = 0;
  EXPECT_TRUE(comes(buffer, 4));
  EXPECT_THAT(left_, ElementsAre(1));
}

TEST_F(ChunkBuffers, WhereAllAreInUseWhatComesPasses) {
  ChunkBuffer buffer(Eviction::coldest, hotness_.data());
  buffer.add(0);
  in_use_ = 0;
  EXPECT_FALSE(comes(buffer, 1));
  EXPECT_THAT(left_, IsEmpty());
}

// The mean is 105: only chunk 1 is above it, above twice the mean as well.
TEST_F(ChunkBuffers, ColderPassesOverChunksHotterThanTheMean) {
  ChunkBuffer buffer = full(Eviction::colder);
  for (ChunkId chunk = 4; chunk < 7; ++chunk) comes(buffer, chunk);
  EXPECT_THAT(left_, ElementsAre(0, 2, 3));
  EXPECT_EQ(hotness_[1], 400U);
}

TEST_F(ChunkBuffers, ColderDecayCoolsWhatItPassesOver) {
  ChunkBuffer buffer = full(Eviction::colder_decay);
  comes(buffer, 4);
  comes(buffer, 5);
  EXPECT_THAT(left_, ElementsAre(0, 2));
  EXPECT_EQ(hotness_[1], 200U);
}

TEST_F(ChunkBuffers, ColdestIsTheOneThatWasUsedLeast) {
  ChunkBuffer buffer = full(Eviction::coldest);
  comes(buffer, 4);
  EXPECT_THAT(left_, ElementsAre(3));
}

TEST_F(ChunkBuffers, RandomGivesUpOneOfThoseThatAreThere) {
  ChunkBuffer buffer = full(Eviction::random);
  EXPECT_TRUE(comes(buffer, 4, true));
  ASSERT_EQ(left_.size(), 1U);
  EXPECT_LT(left_[0], 4U);
}

TEST(Evictions, HaveTheirNames) {
  for (const std::string& name : eviction_names()) {
    EXPECT_EQ(eviction_names()[static_cast<std::size_t>(eviction_named(name))], name);
  }
}

}  // namespace
}  // namespace outcore
