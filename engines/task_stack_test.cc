// SPDX-License-Identifier: Apache-2.0
#include "engines/task_stack.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

TEST(TaskStack, GivesBackTheLastFirstWithItsState) {
  TaskStack stack;
  stack.push_back({.v = 1});
  stack.push_back({.v = 2});
  stack.push_back({.v = 3, .state = 30});
  stack.push_back({.v = 4});
  EXPECT_EQ(stack.size(), 4U);
  for (const VertexId v : {4U, 3U, 2U, 1U}) {
    const Task task = stack.pop_back();
    EXPECT_EQ(task.v, v);
    EXPECT_EQ(task.state, v == 3 ? 30U : 0U);
  }
  EXPECT_TRUE(stack.empty());
}

TEST(TaskStack, SplitsOffTheOlderHalf) {
  for (const std::uint64_t state : {0, 7}) {
    TaskStack stack;
    for (VertexId v = 0; v < 5; ++v) stack.push_back({.v = v, .state = state * v});
    TaskStack older = stack.split();
    ASSERT_EQ(older.size(), 2U);
    ASSERT_EQ(stack.size(), 3U);
    for (const VertexId v : {4U, 3U, 2U, 1U, 0U}) {
      const Task task = (v >= 2 ? stack : older).pop_back();
      EXPECT_EQ(task.v, v);
      EXPECT_EQ(task.state, state * v);
    }
  }
}

TEST(TaskStack, AHalfThatIsEmptyTakesStatesLater) {
  TaskStack stack;
  stack.push_back({.v = 1, .state = 9});
  TaskStack older = stack.split();
  EXPECT_TRUE(older.empty());
  older.push_back({.v = 2, .state = 5});
  EXPECT_EQ(older.pop_back().state, 5U);
  EXPECT_EQ(stack.pop_back().state, 9U);
}

}  // namespace
}  // namespace outcore
