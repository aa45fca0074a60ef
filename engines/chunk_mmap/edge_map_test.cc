// SPDX-License-Identifier: Apache-2.0
// Which parts of a walk each worker gets.
#include "engines/chunk_mmap/edge_map.h"

#include <gtest/gtest.h>

#include <thread>

namespace outcore {
namespace {

using Part = std::pair<std::size_t, std::size_t>;
constexpr std::size_t kStretch = Stretches::kStretch;

TEST(StretchesOfAWalk, AShareIsTakenInOrderAndThenTheBackHalfOfWhatIsLeft) {
  const std::vector<std::size_t> bounds = {0, kStretch + 5, 9 * kStretch + 5};
  Stretches stretches(bounds);
  EXPECT_EQ(stretches.take(0), Part(0, kStretch));
  EXPECT_EQ(stretches.take(0), Part(kStretch, kStretch + 5));
  EXPECT_EQ(stretches.take(0), Part(5 * kStretch + 5, 6 * kStretch + 5)) << "half of worker 1's";
  EXPECT_EQ(stretches.take(0), Part(6 * kStretch + 5, 7 * kStretch + 5)) << "and on from there";
  EXPECT_EQ(stretches.take(1), Part(kStretch + 5, 2 * kStretch + 5));
}

TEST(StretchesOfAWalk, AreTakenOnceByWhoeverComes) {
  constexpr std::size_t kAll = 100 * kStretch + 17;
  constexpr unsigned kWorkers = 4;
  const std::vector<std::size_t> bounds = {0, 0, kAll / 3, kAll / 3 + 1, kAll};
  Stretches stretches(bounds);
  std::vector<std::atomic<int>> taken(kAll);
  {
    std::vector<std::jthread> workers;
    for (unsigned worker = 0; worker < kWorkers; ++worker) {
      workers.emplace_back([&, worker] {
        for (auto part = stretches.take(worker); part.first < part.second;
             part = stretches.take(worker)) {
          for (std::size_t at = part.first; at < part.second; ++at) ++taken[at];
        }
      });
    }
  }
  for (std::size_t at = 0; at < kAll; ++at) ASSERT_EQ(taken[at], 1) << at;
  EXPECT_EQ(stretches.take(0), Part(0, 0));
}

}  // namespace
}  // namespace outcore
