// SPDX-License-Identifier: Apache-2.0
// Pins, and what leaves: one worker's steps in order, and many workers at once.
#include "engines/chunk_mmap/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/toy_container.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Found = Residency::Found;

constexpr std::uint64_t kUnit = 4096;

class Residencies : public ::testing::Test {
 protected:
  Residency of(Eviction eviction, std::uint64_t chunks) {
    const std::uint64_t bytes = chunks * kUnit;
    return {table_, eviction, {&bytes, 1}};
  }
  void bring(Residency& residency, ChunkId chunk, bool dense = true) {
    ASSERT_EQ(residency.pin(chunk), Found::absent);
    residency.admit({&chunk, 1}, dense, left_);
    residency.publish(chunk, false);
  }

  ToyContainer toy_{small_kronecker(10, 8, 1), true};
  Layout layout_{toy_.layout("csr")};
  ChunkTable table_{layout_, Direction::out, 1 << 20};
  std::vector<ChunkId> left_;
};

TEST_F(Residencies, AChunkIsBroughtOnceAndStaysWithinTheBudget) {
  Residency residency = of(Eviction::prefix, 1);
  bring(residency, 0);
  EXPECT_EQ(residency.pin(0), Found::there);
  EXPECT_FALSE(residency.unpin(0));
  EXPECT_FALSE(residency.unpin(0));
  EXPECT_EQ(residency.pin(0), Found::there);
  EXPECT_EQ(residency.counts()[0].populated, 1U);
}

TEST_F(Residencies, WhatIsBeyondTheBudgetLeavesWithItsLastPin) {
  Residency residency = of(Eviction::prefix, 1);
  bring(residency, 0);
  bring(residency, 1);
  EXPECT_EQ(residency.pin(1), Found::there);
  EXPECT_FALSE(residency.unpin(1));
  EXPECT_TRUE(residency.unpin(1));
  const ChunkId one = 1;
  residency.gone({&one, 1});
  EXPECT_EQ(residency.pin(1), Found::absent);
  residency.admit({&one, 1}, true, left_);
  EXPECT_EQ(residency.counts()[0].refetched, 1U);
  EXPECT_EQ(residency.most_bytes(), 2 * kUnit);
}

TEST_F(Residencies, AVictimThatIsPinnedStays) {
  Residency residency = of(Eviction::fifo, 1);
  bring(residency, 0);
  bring(residency, 1);
  EXPECT_THAT(left_, IsEmpty()) << "0 is in use, so 1 passes";
  residency.unpin(0);
  bring(residency, 2);
  EXPECT_THAT(left_, ElementsAre(0));
}

TEST_F(Residencies, AWindowIsAsLongThereAsItsChunk) {
  Residency residency = of(Eviction::prefix, 0);
  const ChunkId chunk = 3;
  ASSERT_TRUE(residency.pin_absent(chunk));
  EXPECT_FALSE(residency.pin_absent(chunk));
  residency.admit({&chunk, 1}, true, left_);
  residency.publish(chunk, /*window=*/true);
  EXPECT_TRUE(residency.in_window(chunk));
  EXPECT_TRUE(residency.any_held(0, 8));
  EXPECT_TRUE(residency.unpin(chunk));
  EXPECT_FALSE(residency.any_held(0, 8)) << "it is leaving";
  residency.gone({&chunk, 1});
  EXPECT_FALSE(residency.in_window(chunk));
}

// A window's chunks come for their neighbours' sake: only pin() says that lists are used.
TEST_F(Residencies, CountsWhatCameAndWasNotUsed) {
  Residency residency = of(Eviction::prefix, 0);
  for (const ChunkId chunk : {ChunkId{2}, ChunkId{3}}) {
    ASSERT_TRUE(residency.pin_absent(chunk));
    residency.admit({&chunk, 1}, true, left_);
    residency.publish(chunk, /*window=*/true);
  }
  EXPECT_EQ(residency.there_bytes(), 2 * kUnit);
  EXPECT_EQ(residency.untouched_bytes(), 2 * kUnit);
  EXPECT_EQ(residency.pin(2), Found::there);
  EXPECT_EQ(residency.untouched_bytes(), kUnit);
  EXPECT_FALSE(residency.unpin(2));
  for (const ChunkId chunk : {ChunkId{2}, ChunkId{3}}) {
    EXPECT_TRUE(residency.unpin(chunk));
    residency.gone({&chunk, 1});
  }
  EXPECT_EQ(residency.there_bytes(), 0U);
  EXPECT_EQ(residency.untouched_bytes(), kUnit);
  EXPECT_EQ(residency.counts()[0].untouched, 1U);
}

// Workers bring, use and give back chunks, always some at once, with room for fewer than they use.
// Bytes are valid while they are pinned and there: `memory` stands for them.
TEST_F(Residencies, NoWorkerSeesAChunkThatIsNotThere) {
  constexpr int kSteps = 2000;
  ASSERT_GE(table_.size(), 8U);
  for (const Eviction eviction : {Eviction::prefix, Eviction::fifo, Eviction::coldest}) {
    Residency residency = of(eviction, 3);
    std::vector<int> memory(8, 0);
    const auto work = [&](unsigned seed) {
      std::minstd_rand random(seed);
      for (int step = 0; step < kSteps; ++step) {
        std::vector<ChunkId> left;
        const ChunkId chunk = random() % 8;
        const Found found = residency.pin(chunk);
        if (found == Found::absent) {
          residency.admit({&chunk, 1}, step % 2 == 0, left);
          for (const ChunkId other : left) memory[other] = 0;
          residency.gone(left);
          memory[chunk] = 1;
          residency.publish(chunk, false);
        }
        residency.wait_for(chunk, [] { return false; });
        EXPECT_EQ(memory[chunk], 1);
        if (residency.unpin(chunk)) {
          memory[chunk] = 0;
          residency.gone({&chunk, 1});
        }
      }
    };
    std::vector<std::jthread> workers;
    for (unsigned worker = 1; worker <= 4; ++worker) workers.emplace_back(work, worker);
  }
}

}  // namespace
}  // namespace outcore
