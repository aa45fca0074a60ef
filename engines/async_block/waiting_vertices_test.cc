// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/waiting_vertices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/hash.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;

std::vector<VertexId> popped(WaitingVertices& waiting) {
  std::vector<VertexId> vertices;
  while (!waiting.empty()) vertices.push_back(waiting.pop().v);
  return vertices;
}

TEST(WaitingVertices, TheSoonestComesFirst) {
  WaitingVertices waiting;
  waiting.push({.v = 10, .priority = 3});
  waiting.push({.v = 30, .priority = -1});
  waiting.push({.v = 20, .priority = 2});
  EXPECT_EQ(waiting.soonest(), -1);
  EXPECT_THAT(popped(waiting), ElementsAre(30, 20, 10));
}

TEST(WaitingVertices, WhereAllAreAlikeTheFirstComesFirst) {
  WaitingVertices waiting;
  for (const VertexId v : {7U, 3U, 9U}) waiting.push({v, 0});
  EXPECT_EQ(waiting.pop().v, 7U);
  waiting.push({4, 0});
  EXPECT_THAT(popped(waiting), ElementsAre(3, 9, 4));
}

// Pushed and popped in any order, against a plain search for the least.
TEST(WaitingVertices, KeepsWhatWasPushedAndGivesTheLeast) {
  WaitingVertices waiting;
  std::vector<Priority> expected;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t choice = mix(i);
    // More pushes than pops in the first half, then the other way round.
    const bool push = choice % 4 < (i < 10'000 ? 3 : 1);
    if (push) {
      const auto priority = static_cast<Priority>(choice / 4 % 1000);
      waiting.push({static_cast<VertexId>(i), priority});
      expected.push_back(priority);
    } else if (!expected.empty()) {
      const auto least = std::min_element(expected.begin(), expected.end());
      ASSERT_EQ(waiting.soonest(), *least);
      ASSERT_EQ(waiting.pop().priority, *least);
      expected.erase(least);
    }
    ASSERT_EQ(waiting.size(), expected.size());
  }
  waiting.clear();
  EXPECT_TRUE(waiting.empty());
}

}  // namespace
}  // namespace outcore
