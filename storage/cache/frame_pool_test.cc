// SPDX-License-Identifier: Apache-2.0
#include "storage/cache/frame_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "common/error.h"

namespace outcore {
namespace {

TEST(FramePool, DealsAllSlotsToTheWorkers) {
  FramePool pool(11 * 8192 + 5000, 8192, 3);
  EXPECT_EQ(pool.arena(0).slots(), 4U);
  EXPECT_EQ(pool.arena(1).slots(), 4U);
  EXPECT_EQ(pool.arena(2).slots(), 3U);
  EXPECT_EQ(pool.arena(2).memory().size(), 3U * 8192);
}

TEST(FramePool, RefusesToLeaveAWorkerWithoutFrames) {
  try {
    const FramePool pool(2 * 4096, 4096, 3);
    ADD_FAILURE() << "made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("3 threads need at least 12.0 KiB"));
  }
}

TEST(FrameArena, SlotsAreAlignedDistinctAndInsideTheMemory) {
  FrameArena arena(5, 8192, 0);
  std::set<std::byte*> slots;
  while (std::byte* slot = arena.take()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot) % 4096, 0U);
    EXPECT_GE(slot, arena.memory().data());
    EXPECT_LE(slot + arena.slot_bytes(), arena.memory().data() + arena.memory().size());
    std::memset(slot, 1, arena.slot_bytes());
    slots.insert(slot);
  }
  EXPECT_EQ(slots.size(), 5U);
  EXPECT_EQ(arena.free_slots(), 0U);
}

TEST(FrameArena, AReturnedSlotIsTakenAgain) {
  FrameArena arena(2, 4096, 0);
  std::byte* first = arena.take();
  ASSERT_NE(arena.take(), nullptr);
  EXPECT_EQ(arena.take(), nullptr);
  arena.give(first);
  EXPECT_EQ(arena.take(), first);
}

}  // namespace
}  // namespace outcore
