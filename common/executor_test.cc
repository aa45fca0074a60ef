// SPDX-License-Identifier: Apache-2.0
#include "common/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

namespace outcore {
namespace {

TEST(Executor, RunsTheBodyOnceOnEveryWorker) {
  Executor executor(4);
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<int> hits(4, 0);
    executor.run([&](unsigned worker) { ++hits[worker]; });
    EXPECT_EQ(hits, std::vector<int>(4, 1));
  }
}

TEST(Executor, ParallelForCoversEachIndexOnce) {
  Executor executor(3);
  std::vector<int> hits(1001, 0);
  executor.parallel_for(1, hits.size(), 7, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++hits[i];
  });
  EXPECT_EQ(hits[0], 0);
  EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 1000);
}

// Other workers take what a slow worker leaves of its share.
TEST(Executor, ParallelForSharesWhatASlowWorkerLeaves) {
  Executor executor(2);
  constexpr std::size_t kGrains = 100;
  std::atomic<std::size_t> done{0};
  executor.parallel_for(0, kGrains, 1, [&](unsigned, std::size_t first, std::size_t) {
    ++done;
    while (first == 0 && done < kGrains) std::this_thread::yield();  // until another helps
  });
  EXPECT_EQ(done, kGrains);
}

TEST(Executor, AThrowingWorkerStopsTheOthersAndTheErrorArrives) {
  Executor executor(4);
  EXPECT_THROW(executor.run([&](unsigned worker) {
    if (worker == 2) throw std::runtime_error("broken");
    while (!executor.stopping()) std::this_thread::yield();
  }),
               std::runtime_error);
  std::vector<int> runs(4, 0);
  executor.run([&](unsigned worker) { ++runs[worker]; });
  EXPECT_EQ(runs, std::vector<int>(4, 1)) << "an executor is usable after a failure";
}

}  // namespace
}  // namespace outcore
