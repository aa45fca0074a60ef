// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/buffer_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace outcore::evolving {

namespace {

constexpr std::uint64_t kBulk = std::uint64_t{1} << 16;

Placement on_one_node(unsigned threads) {
  return {PlaceLists::none, MemoryNodes::of_machine(), threads};
}

TEST(BufferPool, BuffersAreApartAndAlignedToTheirSize) {
  BufferPool pool(on_one_node(2), kBulk);
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> taken;
  for (int i = 0; i < 3000; ++i) {
    const unsigned layer = kLeastLayer + static_cast<unsigned>(i) % (kMostLayer - kLeastLayer + 1);
    const BufferPool::Place place = pool.allocate(static_cast<unsigned>(i) % 2, layer);
    ASSERT_NE(place, 0);
    const auto begin = reinterpret_cast<std::uintptr_t>(pool.entries(place));
    EXPECT_EQ(begin % (1U << layer), 0);
    taken.emplace(begin, begin + (1U << layer));
  }
  std::uintptr_t end = 0;
  for (const auto& [begin, after] : taken) {
    EXPECT_GE(begin, end);
    end = after;
  }
  EXPECT_EQ(taken.size(), 3000);
}

TEST(BufferPool, FreedBuffersAreUsedAgain) {
  BufferPool pool(on_one_node(1), kBulk);
  for (int i = 0; i < 100000; ++i) pool.free(0, pool.allocate(0, 6), 6);
  EXPECT_EQ(pool.taken_bytes(), kBulk);
  EXPECT_EQ(pool.buffer_bytes(), 0);
}

TEST(BufferPool, RetiredBuffersWaitForTheirSnapshots) {
  BufferPool pool(on_one_node(1), kBulk);
  const BufferPool::Place place = pool.allocate(0, 5);
  pool.retire(0, place, 5, 7);
  pool.reclaim(7);  // snapshot 7 is alive
  EXPECT_NE(pool.allocate(0, 5), place);
  pool.reclaim(8);
  EXPECT_EQ(pool.allocate(0, 5), place);
}

TEST(BufferPool, ClearingGivesAllBulksBack) {
  BufferPool pool(on_one_node(2), kBulk);
  for (int i = 0; i < 10000; ++i) pool.allocate(static_cast<unsigned>(i) % 2, 5);
  EXPECT_GT(pool.taken_bytes(), 4 * kBulk);
  pool.clear();
  EXPECT_EQ(pool.taken_bytes(), 0);
  EXPECT_EQ(pool.buffer_bytes(), 0);
  pool.allocate(0, 5);
  EXPECT_EQ(pool.taken_bytes(), kBulk);
}

// The bulk decides how much is taken for few buffers.
TEST(BufferPool, ABulkIsTakenAtOnce) {
  BufferPool pool(on_one_node(1), 4 * kBulk);
  pool.allocate(0, 4);
  EXPECT_EQ(pool.taken_bytes(), 4 * kBulk);
}

}  // namespace

}  // namespace outcore::evolving
