// SPDX-License-Identifier: Apache-2.0
// What makes the concurrent engine CAVE's model: its access trace and how its knobs move counters.
#include "engines/concurrent/concurrent.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engines/watched_for_tests.h"
#include "storage/trace/trace.h"
#include "tests/toy_container.h"
#include "workloads/bfs_program.h"
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

  struct Traced {
    EngineReport report;
    TraceTotals totals;
    std::uint64_t most_in_a_round = 0;  // accesses to one block
  };
  Traced run_traced(const std::string& workload, EngineOptions options) const {
    const std::filesystem::path path = toy_.folder() / "trace.oct";
    TraceHeader header;
    header.workers = 2;
    header.file_units = {layout_.block_files()[0].blocks()};
    TraceWriter writer(path, header);
    options.trace = &writer;
    Traced traced;
    traced.report = run(workload, options);
    traced.totals = writer.close();

    TraceReader reader(path);
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> seen;
    TraceReader::Event event;
    while (reader.next(event)) {
      if (event.kind != TraceReader::Event::Kind::run) continue;
      for (std::uint32_t i = 0; i < event.run.units; ++i) {
        const std::uint64_t times = ++seen[{event.run.round, event.run.first + i}];
        traced.most_in_a_round = std::max(traced.most_in_a_round, times);
      }
    }
    return traced;
  }
  static std::uint64_t blocks_of(const EngineReport& report) {
    std::uint64_t blocks = 0;
    for (const RoundReport& round : report.rounds) blocks += round.blocks;
    return blocks;
  }

  ToyContainer toy_;
  Layout layout_;
};

TEST_F(Concurrent, ReadsNoBlockTwiceInARound) {
  const auto [report, totals, most_in_a_round] = run_traced("wcc", {});
  EXPECT_EQ(most_in_a_round, 1U);
  EXPECT_EQ(totals.rounds, report.rounds.size());
  EXPECT_EQ(totals.accesses, blocks_of(report))
      << "the trace tells of exactly the blocks that the rounds wanted";
  EXPECT_EQ(report.io.requested_bytes, blocks_of(report) * 4096);
}

// In the second round nearly all edges are heard again: to pull, every vertex speaks. A vertex that
// has the smallest label listens no longer. In the last rounds few vertices are active.
TEST_F(Concurrent, PullsWhileNearlyAllEdgesAreToBeHeard) {
  const EngineReport report = run("wcc", {});
  ASSERT_GE(report.rounds.size(), 3U);
  EXPECT_LT(report.rounds[1].frontier, report.rounds[0].frontier);
  EXPECT_TRUE(report.rounds[1].pull);
  EXPECT_LE(report.rounds[1].blocks, report.rounds[0].blocks);
  EXPECT_LT(report.rounds[1].edges, report.rounds[0].edges);
  EXPECT_FALSE(report.rounds.back().pull);
}

// ProcessQueue: each vertex asks for the blocks of its list, and nobody keeps them.
// The hub hears from its first neighbour: most of the 30 blocks of its list are not asked for.
TEST(ConcurrentPulls, CancelBlocksOfVerticesThatHaveHeardEnough) {
  constexpr VertexId kLeaves = 30000;
  const ToyContainer toy(hub(kLeaves), true);
  const Layout layout(toy.layout("firstfit"));
  const std::uint64_t hubs_blocks = (kLeaves * sizeof(VertexId) + 4095) / 4096;
  const std::uint64_t leaves_blocks = layout.block_files()[0].blocks() - hubs_blocks;
  for (const auto& [queue, others] :
       std::map<std::string, std::uint64_t>{{"blocks", leaves_blocks}, {"vertices", kLeaves}}) {
    SCOPED_TRACE(queue);
    EngineOptions narrow;
    narrow.threads = 1;
    narrow.depth = 1;
    narrow.max_request_bytes = 4096;
    narrow.settings = engine_settings("concurrent:queue=" + queue);
    const auto engine = find_engine("concurrent").make(layout, narrow);
    const VertexId source = 1;
    Bfs<std::uint32_t> bfs(engine->state("level", kNoLevel), source);
    engine->round(bfs, Frontier::of(engine->graph().id_space, {&source, 1}), Direction::out,
                  Mode::pull);
    EXPECT_LT(engine->report().io.requested_bytes / 4096, others + hubs_blocks / 2);
  }
}

// If ids follow the degree, the vertices with the first ids receive many of the messages. The
// parameter is the same as async_block's.
TEST_F(Concurrent, CombinersTellManyMessagesAsOne) {
  const Layout by_degree(toy_.layout(LayoutChoices{.number = "degree"}));
  const auto combined = [](const Layout& layout, const std::string& combine, unsigned threads) {
    EngineOptions options;
    options.threads = threads;
    options.settings = engine_settings("concurrent:combine=" + combine);
    const auto engine = find_engine("concurrent").make(layout, options);
    const Workload& push = find_workload("pagerank-push");
    push.run(*engine, {push.name, push.parameters, {}});
    const EngineReport report = engine->report();
    const std::uint64_t messages = report.counts.at("messages_combined");
    EXPECT_LT(messages, report.edges_processed);
    return messages;
  };
  EXPECT_GT(combined(by_degree, "on", 2), 1000U);
  EXPECT_EQ(combined(by_degree, "off", 2), 0U);
  EXPECT_EQ(combined(by_degree, "on", 1), 0U) << "one worker takes no lines from another";
  EXPECT_EQ(combined(layout_, "on", 2), 0U) << "ids do not say which vertices hear most";
}

TEST_F(Concurrent, VertexByVertexReadsABlockForEachOfItsLists) {
  EngineOptions options;
  options.settings = engine_settings("concurrent:queue=vertices");
  options.max_request_bytes = 4096;
  const auto [report, totals, most_in_a_round] = run_traced("bfs", options);
  EXPECT_GT(most_in_a_round, 10U);
  EXPECT_EQ(report.io.requested_bytes, totals.accesses * 4096);
  EXPECT_GT(totals.accesses, 10 * blocks_of(report)) << "blocks with many lists are read for each";
  EXPECT_GE(report.io.requests, layout_.facts().vertices / 2);

  const EngineReport by_blocks = run("bfs", {});
  EXPECT_EQ(report.edges_processed, by_blocks.edges_processed);
  EXPECT_EQ(blocks_of(report), blocks_of(by_blocks));
  EXPECT_EQ(report.activations, by_blocks.activations);
  EXPECT_EQ(report.rounds.size(), by_blocks.rounds.size());
}

// A list of several blocks comes by few requests where frames have room for them.
TEST_F(Concurrent, VertexByVertexReadsLongListsByLargeRequests) {
  const ToyContainer toy(hub(50000), true);
  const Layout layout(toy.layout("firstfit"));
  EngineOptions options;
  options.settings = engine_settings("concurrent:queue=vertices");
  const auto requests = [&](std::uint32_t most) {
    options.max_request_bytes = most;
    const auto engine = find_engine("concurrent").make(layout, options);
    const Workload& bfs = find_workload("bfs");
    bfs.run(*engine, Parameters("bfs", bfs.parameters, {}));
    return engine->report().rounds.at(0).requests;
  };
  EXPECT_EQ(requests(4096), 49U) << "50000 edges, 1024 a block";
  EXPECT_EQ(requests(64 << 10), 4U);
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

TEST_F(Concurrent, HolesAreNoMoreThanTheirShareOfWhatIsNeeded) {
  EngineOptions options;
  options.request_cost = kMeasuredCost;
  const IoCounters any = run("bfs", options).io;
  options.most_holes = 0.02;
  const IoCounters some = run("bfs", options).io;
  const std::uint64_t needed = some.requested_bytes - some.hole_bytes;
  EXPECT_GT(some.hole_bytes, 0U);
  EXPECT_LE(some.hole_bytes * 50, needed);
  EXPECT_LT(some.hole_bytes, any.hole_bytes);
  EXPECT_GT(some.requests, any.requests);
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

// k_r is over all workers, as many or few as there are.
TEST_F(Concurrent, DepthIsTheNumberOfRequestsInFlight) {
  for (const std::string cache : {"frames", "clock"}) {
    for (const std::string queue : {"blocks", "vertices"}) {
      for (const auto& [threads, depth] :
           std::vector<std::pair<unsigned, unsigned>>{{2, 1}, {3, 4}, {8, 2}}) {
        SCOPED_TRACE(testing::Message() << cache << " " << queue << " " << threads << " " << depth);
        EngineOptions options;
        options.threads = threads;
        options.depth = depth;
        options.max_request_bytes = 4096;
        options.settings =
            engine_settings(fmt::format("concurrent:cache={},queue={}", cache, queue));
        const std::int64_t most =
            most_in_flight(options, [&](const EngineOptions& watched) { run("bfs", watched); });
        EXPECT_EQ(most, depth);
      }
    }
  }
}

TEST_F(Concurrent, SaysWhereFramesOrRequestsAreTooFew) {
  const auto notes = [&](unsigned threads, unsigned depth, std::uint64_t blocks) {
    EngineOptions options;
    options.threads = threads;
    options.depth = depth;
    options.frames_bytes = blocks * 4096;
    return testing::PrintToString(run("bfs", options).notes);
  };
  EXPECT_THAT(notes(8, 2, 64), testing::HasSubstr("2 of 8 threads"));
  EXPECT_THAT(notes(2, 64, 8), testing::HasSubstr("frames hold 8 requests of 4.0 KiB"));
  EXPECT_THAT(notes(2, 64, 1024), testing::Not(testing::HasSubstr("requests")));
}

TEST_F(Concurrent, LargerBlocksMakeFewerRequestsOfMoreBytes) {
  const auto io = [&](std::uint32_t block_bytes) {
    LayoutChoices choices = layout_preset("cave");
    choices.block_bytes = block_bytes;
    const Layout layout(toy_.layout(choices));
    EngineOptions options;
    options.max_request_bytes = block_bytes;
    const auto engine = find_engine("concurrent").make(layout, options);
    const Workload& bfs = find_workload("bfs");
    bfs.run(*engine, Parameters("bfs", bfs.parameters, {}));
    return engine->report().io;
  };
  const IoCounters small = io(4096);
  const IoCounters large = io(16384);
  EXPECT_GT(small.requests, large.requests);
  EXPECT_LT(small.requested_bytes, large.requested_bytes);
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
