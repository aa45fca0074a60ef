// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/vertex_states.h"

#include <gtest/gtest.h>

#include <thread>

namespace outcore {
namespace {

using Before = VertexStates::Before;

TEST(VertexStates, AVertexIsQueuedOnceUntilItWasTaken) {
  VertexStates states(10);
  EXPECT_EQ(states.activate(5), Before::inactive);
  EXPECT_EQ(states.activate(5), Before::queued);
  EXPECT_EQ(states.activate(4), Before::inactive) << "its neighbour in the byte";
  EXPECT_TRUE(states.begin(5));
  EXPECT_FALSE(states.begin(5)) << "another entry of it";
  EXPECT_FALSE(states.finish(5));
  EXPECT_FALSE(states.begin(5)) << "and one more";
  EXPECT_EQ(states.activate(5), Before::inactive);
}

TEST(VertexStates, OneActivatedWhileItIsProcessedIsQueuedAgainAfterwards) {
  VertexStates states(4);
  EXPECT_EQ(states.activate(3), Before::inactive);
  states.begin(3);
  EXPECT_EQ(states.activate(3), Before::processing);
  EXPECT_EQ(states.activate(3), Before::processing);
  EXPECT_TRUE(states.finish(3));
  states.begin(3);
  EXPECT_FALSE(states.finish(3));
}

TEST(VertexStates, OneThatIsInactiveIsBegunWithoutAQueue) {
  VertexStates states(4);
  EXPECT_TRUE(states.begin_if_inactive(2));
  EXPECT_EQ(states.activate(2), Before::processing);
  EXPECT_TRUE(states.finish(2)) << "and activated meanwhile";
  EXPECT_FALSE(states.begin_if_inactive(2)) << "it waits in a queue";
  states.begin(2);
  EXPECT_FALSE(states.begin_if_inactive(2)) << "which is an activation";
  EXPECT_TRUE(states.finish(2));
  states.begin(2);
  EXPECT_FALSE(states.finish(2));
}

TEST(VertexStates, OneThatIsBegunNowNeedsItsQueueNoLonger) {
  VertexStates states(4);
  EXPECT_EQ(states.begin_now(1), Before::inactive);
  EXPECT_FALSE(states.finish(1));
  states.activate(1);
  EXPECT_EQ(states.begin_now(1), Before::queued);
  EXPECT_FALSE(states.begin(1)) << "its entry is void";
  EXPECT_EQ(states.begin_now(1), Before::processing);
  EXPECT_TRUE(states.finish(1)) << "and activated meanwhile";
}

// Each activation is followed by a begin, and what was written before it is seen there.
TEST(VertexStates, NoActivationIsLostBetweenThreads) {
  VertexStates states(4);
  constexpr int kTimes = 20000;
  std::atomic<int> written{0};
  std::atomic<bool> queued{false};
  std::thread activator([&] {
    for (int i = 1; i <= kTimes; ++i) {
      written.store(i, std::memory_order_relaxed);
      if (states.activate(1) == Before::inactive) queued.store(true, std::memory_order_release);
      states.activate(2);  // the same byte
    }
  });
  int seen = 0;
  while (seen < kTimes) {
    if (!queued.exchange(false, std::memory_order_acquire)) {
      std::this_thread::yield();
      continue;
    }
    do {
      states.begin(1);
      seen = written.load(std::memory_order_relaxed);
    } while (states.finish(1));
  }
  activator.join();
  EXPECT_EQ(seen, kTimes);
}

}  // namespace
}  // namespace outcore
