// SPDX-License-Identifier: Apache-2.0
// What makes the concurrent engine CAVE's model: its access trace and how its knobs move counters.
#include "engines/concurrent/concurrent.h"

#include <gtest/gtest.h>

#include <set>

#include "storage/trace/trace.h"
#include "tests/toy_container.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

class Concurrent : public ::testing::Test {
 protected:
  Concurrent() : toy_(small_kronecker(12, 16, 1), true), layout_(toy_.layout("firstfit")) {}

  EngineReport run(const std::string& workload, const EngineOptions& options) const {
    const auto engine = find_engine("concurrent").make(layout_, options);
    const Workload& entry = find_workload(workload);
    entry.run(*engine, Parameters(workload, entry.parameters, {}));
    return engine->report();
  }

  ToyContainer toy_;
  Layout layout_;
};

TEST_F(Concurrent, ReadsNoBlockTwiceInARound) {
  const std::filesystem::path path = toy_.folder() / "trace.oct";
  TraceHeader header;
  header.workers = 2;
  header.file_units = {layout_.block_files()[0].blocks()};
  TraceWriter writer(path, header);
  EngineOptions options;
  options.trace = &writer;
  const EngineReport report = run("wcc", options);
  const TraceTotals totals = writer.close();

  TraceReader reader(path);
  std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
  TraceReader::Event event;
  std::uint64_t accesses = 0;
  while (reader.next(event)) {
    if (event.kind != TraceReader::Event::Kind::run) continue;
    for (std::uint32_t i = 0; i < event.run.units; ++i, ++accesses) {
      EXPECT_TRUE(seen.emplace(event.run.round, event.run.first + i).second)
          << "block " << event.run.first + i << " twice in round " << event.run.round;
    }
  }
  EXPECT_EQ(accesses, totals.accesses);
  EXPECT_EQ(totals.rounds, report.rounds.size());
  std::uint64_t blocks = 0;
  for (const RoundReport& round : report.rounds) blocks += round.blocks;
  EXPECT_EQ(accesses, blocks) << "the trace tells of exactly the blocks that the rounds wanted";
  EXPECT_EQ(report.io.requested_bytes, blocks * 4096);
}

TEST_F(Concurrent, MergingMakesFewerRequestsForTheSameBytes) {
  EngineOptions merged;
  merged.max_request_bytes = 64 << 10;
  EngineOptions single;
  single.max_request_bytes = 4096;
  const EngineReport with = run("pagerank", merged);
  const EngineReport without = run("pagerank", single);
  EXPECT_EQ(with.io.requested_bytes, without.io.requested_bytes);
  EXPECT_LT(with.io.requests * 4, without.io.requests);
  EXPECT_EQ(without.io.requests * 4096, without.io.requested_bytes);
}

TEST_F(Concurrent, HolesThatAreReadThroughSpareRequestsAndAreCounted) {
  const EngineReport off = run("bfs", {});
  EngineOptions options;
  options.request_cost = kMeasuredCost;
  const EngineReport on = run("bfs", options);
  EXPECT_EQ(off.io.hole_bytes, 0U);
  EXPECT_GT(on.io.hole_bytes, 0U);
  EXPECT_LT(on.io.requests, off.io.requests);
  EXPECT_EQ(on.io.requested_bytes, off.io.requested_bytes + on.io.hole_bytes);
  EXPECT_EQ(on.io.touched_bytes, off.io.touched_bytes);
}

// Those of holes are read, and not wanted: a cache that is simulated must not see them.
TEST_F(Concurrent, TracesTellOfWantedBlocksOnly) {
  std::vector<std::uint64_t> accesses;
  for (const RequestCost cost : {RequestCost{}, kMeasuredCost}) {
    TraceHeader header;
    header.workers = 2;
    header.file_units = {layout_.block_files()[0].blocks()};
    TraceWriter writer(toy_.folder() / "trace.oct", header);
    EngineOptions options;
    options.trace = &writer;
    options.request_cost = cost;
    run("bfs", options);
    accesses.push_back(writer.close().accesses);
  }
  EXPECT_EQ(accesses[0], accesses[1]);
}

TEST_F(Concurrent, SmallFramesMakeSmallRequests) {
  EngineOptions options;
  options.frames_bytes = 8 * 4096;
  const EngineReport report = run("pagerank", options);
  EXPECT_EQ(report.io.requests * 4096, report.io.requested_bytes);
}

TEST_F(Concurrent, TouchesExactlyTheEdgesOfTheLists) {
  const EngineReport report = run("pagerank", {});
  EXPECT_EQ(report.io.touched_bytes, 10 * layout_.facts().edges * sizeof(VertexId));
  EXPECT_EQ(report.edges_processed, 10 * layout_.facts().edges);
}

TEST_F(Concurrent, ManyThreadsOnFewCoresEnd) {
  EngineOptions options;
  options.threads = 64;
  options.depth = 64;
  const EngineReport report = run("bfs", options);
  EXPECT_GT(report.rounds.size(), 2U);
}

}  // namespace
}  // namespace outcore
