// SPDX-License-Identifier: Apache-2.0
#include "storage/cache/frame_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

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

TEST(FrameArena, IsOnePieceOfWholePages) {
  FrameArena arena(5, 8192, 0);
  EXPECT_EQ(arena.slots(), 5U);
  EXPECT_EQ(arena.slot_bytes(), 8192U);
  ASSERT_EQ(arena.memory().size(), 5U * 8192);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.memory().data()) % 4096, 0U);
  std::memset(arena.memory().data(), 1, arena.memory().size());
}

}  // namespace
}  // namespace outcore
