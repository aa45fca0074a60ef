// SPDX-License-Identifier: Apache-2.0
// Forward push without rounds hands over hardly more edges than in rounds, where a residual gathers
// from all neighbours before it is pushed: on every shape, with all of the graph in memory and with
// little of it. By counts of edges. Blocks that were processed whenever a residual in them was
// above the last threshold took 1.9 times as many on a star, and 1.7 on web pages; a query that
// stayed near its source took 2.5 times as many on a grid.
#include <fmt/format.h>

#include "engines/async_block/async_block_fixture.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

constexpr double kOverRounds = 1.2;

class AsyncPush : public AsyncBlock {
 protected:
  static void expect_little_more(const ToyContainer& toy, const std::string& workload,
                                 unsigned threads, double factor) {
    const Layout layout(toy.layout(layout_preset("acgraph")));
    const std::uint64_t blocks = layout.block_files()[0].blocks();
    for (const std::uint64_t frames : {blocks + 64, std::max<std::uint64_t>(blocks / 10, 8)}) {
      SCOPED_TRACE(fmt::format("{}: {} frames for {} blocks", workload, frames, blocks));
      const auto edges = [&](const char* mode) {
        EngineOptions options = pool(frames * threads, fmt::format("async_block:mode={}", mode));
        options.threads = threads;
        options.backend = "mem";
        return static_cast<double>(run(layout, workload, options).edges_processed);
      };
      EXPECT_LE(edges("async"), factor * edges("sync"));
    }
  }
};

TEST_F(AsyncPush, HandsOverHardlyMoreEdgesThanRounds) {
  if (kThreadSanitized) GTEST_SKIP() << "one thread";
  for (const Shape& shape :
       {star(20'000), hub(9000), comb(20, 49), grid(40, 40), path(2000), clique(60), disconnected(),
        small_kronecker(12, 16, 1), small_kronecker(12, 4, 77)}) {
    SCOPED_TRACE(shape.name);
    const ToyContainer toy(shape, true);
    for (const char* workload : {"pagerank-push", "ppr"}) {
      expect_little_more(toy, workload, 1, kOverRounds);
    }
  }
}

// The source's mass does not reach the ends.
TEST_F(AsyncPush, OfAQueryThatStaysNearItsSourceToo) {
  if (kThreadSanitized) GTEST_SKIP() << "one thread";
  for (const Shape& shape : {grid(150, 150), comb(3000, 4), path(30000)}) {
    SCOPED_TRACE(shape.name);
    expect_little_more(ToyContainer(shape, true), "ppr", 1, kOverRounds);
  }
}

// The other executor has nothing to do but the hub's list, when the first few leaves have answered.
TEST_F(AsyncPush, AHubWaitsUntilItsLeavesHaveAnswered) {
  expect_little_more(ToyContainer(star(60'000), true), "pagerank-push", 2,
                     kSanitized ? 2 : kOverRounds);
}

}  // namespace
}  // namespace outcore
