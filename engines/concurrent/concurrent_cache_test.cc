// SPDX-License-Identifier: Apache-2.0
// The concurrent engine with CAVE's cache pool in place of frames (`concurrent:cache=clock`): the
// same answers, fewer reads the larger it is, and the misses that the simulator counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "engines/concurrent/concurrent.h"
#include "storage/cachesim/simulator.h"
#include "storage/trace/trace.h"
#include "tests/sanitized.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

std::vector<std::string> live_policies() {
  std::vector<std::string> names;
  for (const PolicyKind* policy : policies()) {
    if (policy->knows == Knowledge::past) names.emplace_back(policy->name);
  }
  return names;
}

class ConcurrentCache : public ::testing::Test {
 protected:
  ConcurrentCache() : toy_(small_kronecker(12, 16, 1), true), layout_(toy_.layout("firstfit")) {}

  [[nodiscard]] std::uint64_t blocks() const { return layout_.block_files()[0].blocks(); }
  static EngineOptions cache(const std::string& policy, std::uint64_t blocks,
                             const std::string& queue = "blocks") {
    EngineOptions options;
    options.settings = engine_settings("concurrent:cache=" + policy + ",queue=" + queue);
    options.frames_bytes = blocks * 4096;
    options.depth = 4;
    return options;
  }
  struct Run {
    Answer answer;
    EngineReport report;
  };
  [[nodiscard]] Run run(const Workload& workload, const EngineOptions& options) const {
    const auto engine = find_engine("concurrent").make(layout_, options);
    Answer answer = workload.run(*engine, toy_parameters(workload))();
    return {std::move(answer), engine->report()};
  }
  [[nodiscard]] Run run(const std::string& workload, const EngineOptions& options) const {
    return run(find_workload(workload), options);
  }
  // A search of another graph, with no knob set where no spec is given.
  static Run search(const Layout& layout, std::uint64_t blocks,
                    const std::string& spec = "concurrent",
                    const std::vector<std::string>& set = {}) {
    EngineOptions options;
    options.settings = engine_settings(spec);
    options.frames_bytes = blocks * 4096;
    options.depth = 4;
    return search(layout, options, set);
  }
  static Run search(const Layout& layout, const EngineOptions& options,
                    const std::vector<std::string>& set) {
    const auto engine = find_engine("concurrent").make(layout, options);
    const Workload& bfs = find_workload("bfs");
    Answer answer = bfs.run(*engine, Parameters("bfs", bfs.parameters, set))();
    return {std::move(answer), engine->report()};
  }
  // Answers that are exact are those of frames, bit by bit; others are verified.
  void expect_right(const Workload& workload, const Answer& found, const Answer& of_frames) {
    if (of_frames.exact) {
      EXPECT_EQ(found.digest(), of_frames.digest());
      return;
    }
    const Canonical canonical{container_.csr(Direction::out), container_.csr(Direction::in)};
    const Verdict verdict = workload.verify(canonical, found, toy_parameters(workload));
    EXPECT_TRUE(verdict.passed) << verdict.detail;
  }

  ToyContainer toy_;
  Container container_{toy_.folder()};
  Layout layout_;
};

// No more slots than requests in flight: each is evicted as soon as it may be.
TEST_F(ConcurrentCache, GivesTheAnswersOfFrames) {
  for (const Workload& workload : workloads()) {
    if (!can_run(ConcurrentEngine::kTraits, layout_, workload)) continue;
    const Answer expected = run(workload, {}).answer;
    for (const std::string& policy : live_policies()) {
      if (kSanitized && policy != "clock") continue;
      for (const unsigned threads : {1U, 3U, 16U}) {
        if (kThreadSanitized && threads == 1) continue;
        // How many there are matters to all policies alike: one shows it.
        if (policy != "clock" && threads != 16) continue;
        EngineOptions options = cache(policy, std::max(4U, threads));
        options.threads = threads;
        if (threads != 3) options.backend = "mem";  // thousands of reads: the device's once
        SCOPED_TRACE(testing::Message() << workload.name << " " << policy << " " << threads);
        expect_right(workload, run(workload, options).answer, expected);
        if (policy != "clock") continue;
        options.settings = engine_settings("concurrent:cache=clock,queue=vertices");
        SCOPED_TRACE("by vertices");
        expect_right(workload, run(workload, options).answer, expected);
      }
    }
  }
}

TEST_F(ConcurrentCache, ALargerOneReadsLess) {
  for (const std::string workload : {"wcc", "dfs"}) {
    std::uint64_t before = ~std::uint64_t{0};
    for (const std::uint64_t size : {blocks() / 16, blocks() / 2, 2 * blocks()}) {
      const EngineReport report = run(workload, cache("clock", size)).report;
      EXPECT_LT(report.io.requested_bytes, before) << workload << ", " << size << " blocks";
      before = report.io.requested_bytes;
    }
    EXPECT_LE(before, blocks() * 4096) << "each once";
  }
}

// CAVE's Fig. 7: vertex by vertex, a round reads again the blocks that the cache has lost since
// another vertex asked for them; block by block it asks for each once, whatever the cache.
TEST_F(ConcurrentCache, MattersVertexByVertexAndNotBlockByBlock) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t size : {blocks() / 32, blocks() / 4, 2 * blocks()}) {
    EngineOptions options = cache("clock", size, "vertices");
    const EngineReport vertices = run("bfs", options).report;
    EXPECT_LT(vertices.io.requested_bytes, before) << size << " blocks";
    before = vertices.io.requested_bytes;

    options.settings = {};
    const EngineReport blocks_once = run("bfs", options).report;
    std::uint64_t wanted = 0;
    for (const RoundReport& round : blocks_once.rounds) wanted += round.blocks;
    EXPECT_EQ(blocks_once.io.requested_bytes, wanted * 4096) << size << " blocks";
    if (size < blocks() / 4) {
      EXPECT_GT(before, blocks_once.io.requested_bytes);
    }
  }
  EXPECT_LE(before, blocks() * 4096) << "all of it stays in memory";
}

TEST_F(ConcurrentCache, ReadsABlockARequestAndCountsWhatItDoes) {
  const EngineReport report = run("wcc", cache("clock", blocks() / 4)).report;
  ASSERT_TRUE(report.cache);
  const CachePoolCounters& counters = report.cache->counters;
  EXPECT_EQ(report.cache->policy, "clock");
  EXPECT_EQ(report.cache->slots, blocks() / 4);
  EXPECT_EQ(report.io.requests, counters.loads);
  EXPECT_EQ(report.io.requested_bytes, counters.loads * 4096);
  EXPECT_GT(counters.hits, 0U);
  EXPECT_EQ(counters.evictions, counters.loads - report.cache->slots);
  std::uint64_t wanted = 0;
  for (const RoundReport& round : report.rounds) wanted += round.blocks;
  EXPECT_EQ(counters.hits + counters.loads, wanted);
  EXPECT_FALSE(run("wcc", {}).report.cache) << "frames keep nothing";
}

// A wave through a grid wants nearly the blocks of the round before, for hundreds of rounds.
TEST_F(ConcurrentCache, IsUsedOnceRoundsWantFewBlocks) {
  const ToyContainer toy(grid(150, 150), true);
  const Layout layout(toy.layout("firstfit"));
  const auto blocks = layout.block_files()[0].blocks();
  const Run buffers = search(layout, 4 * blocks, "concurrent:cache=frames");
  const Run looks = search(layout, 4 * blocks);
  EXPECT_EQ(looks.answer.digest(), buffers.answer.digest());
  EXPECT_FALSE(buffers.report.cache);
  ASSERT_TRUE(looks.report.cache);
  EXPECT_EQ(looks.report.cache->policy, "clock");
  EXPECT_LE(looks.report.cache->counters.loads, blocks) << "each once";
  const std::uint64_t loaded = looks.report.cache->counters.loads * 4096;
  EXPECT_LE(looks.report.io.requested_bytes - loaded, 8 * 4096U) << "by the first rounds";
  EXPECT_LT(20 * looks.report.io.requested_bytes, buffers.report.io.requested_bytes);
}

// A path whose ids alternate between its halves: each round wants a vertex of one of two blocks.
TEST_F(ConcurrentCache, IsUsedWhereFramesAreFewerThanRequestsInFlight) {
  constexpr VertexId kHalf = 5000;
  Shape zigzag = path(2 * kHalf);
  const auto id = [](VertexId v) { return v / 2 + v % 2 * kHalf; };
  for (auto& [from, to] : zigzag.edges) std::tie(from, to) = std::pair(id(from), id(to));
  const ToyContainer toy(zigzag, true);
  const Layout layout(toy.layout("firstfit"));
  EngineOptions options;
  options.frames_bytes = 8 * 4096;
  options.depth = 64;
  const EngineReport report = search(layout, options, {"source=0"}).report;
  EXPECT_GE(report.rounds.size(), 2 * kHalf);
  ASSERT_TRUE(report.cache);
  EXPECT_LE(report.io.requests, layout.block_files()[0].blocks() + 8) << "each once";
}

// One vertex a round, each in another block.
TEST_F(ConcurrentCache, GoesWhereItHasLittle) {
  const ToyContainer toy(comb(40000, 0, IdOrder::random), true);
  const Layout layout(toy.layout("firstfit"));
  const EngineReport report = search(layout, 8).report;
  ASSERT_GT(report.rounds.size(), 1000U);
  ASSERT_TRUE(report.cache);
  EXPECT_LE(report.cache->counters.loads + report.cache->counters.hits, 32U)
      << "it was not tried on";
}

// 20 narrow rounds, one that wants a list of 200,000 vertices, and their lists.
TEST_F(ConcurrentCache, GivesWayWhenARoundWantsMuch) {
  constexpr VertexId kChain = 20;
  constexpr VertexId kLeaves = 200000;
  Shape broom = path(kChain);
  broom.vertices += kLeaves;
  for (VertexId leaf = kChain; leaf < broom.vertices; ++leaf) {
    broom.edges.push_back({kChain - 1, leaf});
  }
  const ToyContainer toy(broom, true);
  const Layout layout(toy.layout("firstfit"));
  const EngineReport report = search(layout, 1024, "concurrent", {"source=0"}).report;
  ASSERT_TRUE(report.cache);
  EXPECT_GT(report.cache->counters.hits, 0U) << "of the chain";
  EXPECT_EQ(report.rounds.back().frontier, kLeaves);
  const CachePoolCounters& cache = report.cache->counters;
  const std::uint64_t leaves = report.rounds.back().blocks;
  EXPECT_GE(report.io.requested_bytes - cache.loads * 4096, leaves * 4096) << "by buffers";
  EXPECT_LT(4 * (report.io.requests - cache.loads), leaves) << "by requests of many blocks";
}

// With one request at a time nothing is pinned when a block is evicted.
TEST_F(ConcurrentCache, MissesAreThoseOfTheSimulator) {
  for (const std::string workload : {"wcc", "dfs"}) {
    for (const std::string& policy : live_policies()) {
      const std::filesystem::path path = toy_.folder() / "trace.oct";
      TraceHeader header;
      header.workers = 1;
      header.file_units = {blocks()};
      TraceWriter writer(path, header);
      EngineOptions options = cache(policy, blocks() / 4);
      options.threads = 1;
      options.depth = 1;
      options.trace = &writer;
      const CachePoolCounters counters = run(workload, options).report.cache->counters;
      writer.close();
      const CacheJob job{.policy = &find_policy(policy), .units = blocks() / 4};
      const Simulation simulation = simulate(file_source(path), {&job, 1});
      EXPECT_EQ(counters.loads, simulation.results[0].misses) << workload << " " << policy;
      EXPECT_EQ(counters.hits, simulation.accesses - simulation.results[0].misses);
      EXPECT_EQ(counters.waits, 0U) << "nobody else wants the lock";
      EXPECT_EQ(counters.waited_seconds, 0);
    }
  }
}

TEST_F(ConcurrentCache, RefusesFewerBlocksThanRequestsInFlight) {
  const auto make = [&](std::uint64_t blocks) {
    return find_engine("concurrent").make(layout_, cache("clock", blocks));
  };
  EXPECT_NE(make(4), nullptr);
  try {
    const auto engine = make(3);
    FAIL() << "3 blocks for 4 requests";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("--frames 12288 hold 3 blocks of 4.0 KiB"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("give --frames 16384 or more"));
  }
}

// Workers that wait for a read that failed in another worker are told, and end.
TEST_F(ConcurrentCache, EndsWhenAReadFails) {
  for (const std::string queue : {"blocks", "vertices"}) {
    for (const std::string workload : {"wcc", "dfs"}) {
      EngineOptions options = cache("clock", 4, queue);
      options.threads = 4;
      options.backend = "fault";
      options.fault_plan = "over:threads,eio@40,delay:0.2";
      EXPECT_THROW(run(workload, options), Error) << workload << " " << queue;
    }
  }
}

}  // namespace
}  // namespace outcore
