// SPDX-License-Identifier: Apache-2.0
// Each knob of the synchronous subgraph engine moves a counter.
#include <fmt/format.h>

#include "engines/sync_subgraph/sync_subgraph_fixture.h"
#include "tests/contract/toys.h"

namespace outcore {
namespace {

std::uint64_t count(const SyncRun& run, const std::string& name) {
  return run.report.counts.at(name);
}

TEST_F(SyncSubgraph, ConstructsWhatItLoadsUnlessItIsFused) {
  const std::uint64_t edges = 10 * layout_.facts().edges;
  for (const std::string construction : {"fused", "parallel", "serial"}) {
    SCOPED_TRACE(construction);
    const SyncRun run = this->run("pagerank", sync_options("construction=" + construction));
    EXPECT_EQ(count(run, "edges_loaded"), edges);
    EXPECT_EQ(count(run, "edges_constructed"), construction == "fused" ? 0 : edges);
    EXPECT_EQ(run.report.edges_processed, edges);
    EXPECT_EQ(run.report.stages.at("construct") > 0, construction != "fused");
    EXPECT_GT(run.report.stages.at("update"), 0);
    EXPECT_GT(run.report.stages.at("load"), 0);
  }
}

TEST_F(SyncSubgraphDirected, LoadsBothShardsAsThePaperWhereThatIsAsked) {
  const SyncRun needed = run("pagerank", sync_options("p=1"));
  const SyncRun both = run("pagerank", sync_options("p=1,shards=both"));
  EXPECT_EQ(needed.report.io.requested_bytes, 10 * blocks(1) * 4096);
  EXPECT_EQ(both.report.io.requested_bytes, 10 * (blocks(0) + blocks(1)) * 4096);
  EXPECT_EQ(count(both, "edges_loaded"), 2 * count(needed, "edges_loaded"));
  EXPECT_EQ(both.report.edges_processed, needed.report.edges_processed);
  const SyncRun constructed = run("pagerank", sync_options("shards=both,construction=parallel"));
  EXPECT_EQ(count(constructed, "edges_constructed"), count(both, "edges_loaded"));
}

TEST_F(SyncSubgraph, UndirectedShardsAreLoadedOnce) {
  EXPECT_EQ(run("pagerank", sync_options("p=1,shards=both")).report.io.requested_bytes,
            run("pagerank", sync_options("p=1")).report.io.requested_bytes);
}

TEST_F(SyncSubgraph, KeepsWhatFramesHaveRoomFor) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t frames : {blocks() / 2, blocks(), 4 * blocks()}) {
    EngineOptions options = sync_options("keep=on");
    options.max_request_bytes = 4096;
    options.frames_bytes = frames / 8 * 8 * 4096;
    const SyncRun kept = run("pagerank", options);
    EXPECT_LT(kept.report.io.requested_bytes, before) << frames << " blocks of frames";
    before = kept.report.io.requested_bytes;
    EXPECT_GT(kept.report.rounds.back().own.at("kept_bytes"), 0);
    options.settings = engine_settings("sync_subgraph:keep=off");
    const SyncRun off = run("pagerank", options);
    EXPECT_LT(kept.report.io.requested_bytes, off.report.io.requested_bytes);
    EXPECT_EQ(off.report.rounds.back().own.at("kept_bytes"), 0);
    EXPECT_EQ(kept.answer.digest(), off.answer.digest());
  }
  EXPECT_LE(before, (blocks() + 64) * 4096) << "all of it stays: each block was read once";
}

TEST_F(SyncSubgraph, KeptShardsAreAlwaysTheSame) {
  EngineOptions options = sync_options("keep=on");
  options.frames_bytes = blocks() / 8 * 8 * 4096;
  options.max_request_bytes = 4096;
  EngineReport report;
  const std::vector<Asked> asked = trace("pagerank", options, &report);
  std::map<std::uint64_t, std::vector<BlockId>> by_round;
  for (const Asked& block : asked) by_round[block.round].push_back(block.block);
  ASSERT_EQ(by_round.size(), 10U);
  EXPECT_LT(by_round[1].size(), by_round[0].size());
  for (std::uint64_t round = 2; round < 10; ++round) EXPECT_EQ(by_round[round], by_round[1]);
}

// What a full round left in memory, a selected one does not ask for.
TEST_F(SyncSubgraph, SelectedRoundsDoNotAskForWhatIsKept) {
  std::vector<VertexId> few;
  for (VertexId v = 0; v < 4096; v += 40) few.push_back(v);
  const auto selected_round = [&](const std::string& keep, std::uint64_t frames) {
    EngineOptions options = sync_options("keep=" + keep);
    options.frames_bytes = frames * 4096;
    options.max_request_bytes = 4096;
    const auto engine = find_engine("sync_subgraph").make(layout_, options);
    toys::Wcc wcc(engine->graph());
    engine->round(wcc, Frontier::all(engine->graph()), Direction::out, Mode::pull);
    engine->round(wcc, Frontier::of(4096, few), Direction::out, Mode::push);
    EXPECT_FALSE(engine->report().rounds.back().pull);
    return engine->report().rounds.back();
  };
  const std::uint64_t half = blocks() / 8 * 8;
  const RoundReport none = selected_round("off", half);
  const RoundReport some = selected_round("on", half);
  const RoundReport all = selected_round("on", 4 * blocks());
  EXPECT_EQ(none.requested_bytes, none.blocks * 4096);
  EXPECT_LT(some.requested_bytes, none.requested_bytes);
  EXPECT_GT(some.requested_bytes, 0U);
  EXPECT_EQ(all.requested_bytes, 0U) << "all shards are kept";
  for (const RoundReport& round : {some, all}) {
    EXPECT_EQ(round.blocks, none.blocks) << "lists of the same blocks are used";
    EXPECT_EQ(round.edges, none.edges);
  }
}

TEST_F(SyncSubgraph, LessMemoryMakesMoreIntervals) {
  std::uint64_t before = 0;
  for (const std::uint64_t frames : {1024U, 64U, 16U}) {
    EngineOptions options = sync_options();
    options.frames_bytes = frames * 4096;
    const SyncRun run = this->run("pagerank", options);
    EXPECT_GT(count(run, "intervals"), before) << frames;
    before = count(run, "intervals");
    EXPECT_EQ(count(run, "intervals_loaded"), 10 * before);
    for (const auto& [name, bytes] : run.report.memory) {
      if (name == "frames") {
        EXPECT_LE(bytes, options.frames_bytes);
      }
    }
  }
  EXPECT_EQ(count(run("pagerank", sync_options("p=17")), "intervals"), 17U);
}

TEST_F(SyncSubgraph, LargeRequestsAreFew) {
  EngineOptions options = sync_options("p=1");
  options.max_request_bytes = 4096;
  const EngineReport small = run("pagerank", options).report;
  options.max_request_bytes = 64 << 10;
  const EngineReport large = run("pagerank", options).report;
  EXPECT_EQ(small.io.requests * 4096, small.io.requested_bytes);
  EXPECT_EQ(large.io.requests, 10 * ((blocks() + 15) / 16));
  EXPECT_EQ(large.io.requested_bytes, small.io.requested_bytes);
}

TEST_F(SyncSubgraph, CompressedListsAreFewerBytes) {
  const auto bytes = [&](const LayoutChoices& choices) {
    const Layout layout(toy_.layout(choices));
    return run_sync(layout, "pagerank", sync_options()).report.io.requested_bytes;
  };
  const std::uint64_t raw = bytes({.pack = "csr"});
  EXPECT_LT(2 * bytes(layout_preset("losc")), raw);
  EXPECT_LT(bytes({.pack = "csr", .codec = "svb"}), raw);
}

// --- Full or selected ---

TEST_F(SyncSubgraph, ForcedSchedulesDoWhatTheySay) {
  const SyncRun full = run("wcc", sync_options("schedule=full,p=1"));
  for (const RoundReport& round : full.report.rounds) {
    EXPECT_TRUE(round.pull);
    EXPECT_EQ(round.requested_bytes, blocks() * 4096);
    EXPECT_EQ(round.own.at("intervals_skipped"), 0);
  }
  EXPECT_EQ(count(full, "selected_rounds"), 0U);
  const SyncRun selected = run("wcc", sync_options("schedule=selected,visibility=round"));
  for (const RoundReport& round : selected.report.rounds) EXPECT_FALSE(round.pull);
  EXPECT_EQ(count(selected, "selected_rounds"), selected.report.rounds.size());
  EXPECT_EQ(full.report.stages.at("evaluate"), 0);
}

TEST_F(SyncSubgraph, TheBenefitModelChoosesByWhatIsActive) {
  for (const std::string benefit : {"requests", "paper"}) {
    SCOPED_TRACE(benefit);
    const EngineOptions options = sync_options("p=1,benefit=" + benefit);
    const SyncRun both = run("bfs", options);
    const SyncRun full = run("bfs", sync_options("p=1,schedule=full"));
    EXPECT_FALSE(both.report.rounds.front().pull) << "one vertex is active";
    EXPECT_TRUE(std::any_of(both.report.rounds.begin(), both.report.rounds.end(),
                            [](const RoundReport& round) { return round.pull; }));
    EXPECT_LT(both.report.io.requested_bytes, full.report.io.requested_bytes);
    EXPECT_GT(both.report.stages.at("evaluate"), 0);
    for (const RoundReport& round : both.report.rounds) {
      const double full_s = round.own.at("full_estimate_s");
      const double selected_s = round.own.at("selected_estimate_s");
      EXPECT_EQ(round.pull, selected_s > full_s);
    }
    EXPECT_EQ(both.answer.digest(), full.answer.digest());
  }
}

// A search whose last vertices lie far behind: few listen, in few blocks of their intervals.
TEST(SyncSubgraphHybrid, IntervalsOfFewListenersAreReadByTheirLists) {
  const ToyContainer toy(path(200'000), true);
  const Layout layout(toy.layout(layout_preset("losc")));
  const auto round = [&](const std::string& benefit) {
    const auto engine =
        find_engine("sync_subgraph").make(layout, sync_options("p=5,benefit=" + benefit));
    toys::BfsByRounds bfs(engine->graph(), 0);
    for (VertexId v = 1; v < 200'000; ++v) bfs.level[v] = v;
    const std::vector<VertexId> last = {999, 150'999};
    for (const VertexId v : last) bfs.level[v + 1] = toys::BfsByRounds::kUnreached;
    engine->round(bfs, Frontier::of(engine->graph().id_space, last), Direction::out, Mode::pull);
    for (const VertexId v : last) EXPECT_EQ(bfs.level[v + 1], v + 1);
    return engine->report();
  };
  const EngineReport whole = round("requests");
  const EngineReport by_list = round("interval");
  EXPECT_EQ(whole.counts.at("selected_intervals"), 0U);
  EXPECT_EQ(by_list.counts.at("selected_intervals"), 2U);
  EXPECT_EQ(by_list.rounds.back().own.at("intervals_by_list"), 2);
  for (const EngineReport* report : {&whole, &by_list}) {
    EXPECT_EQ(report->rounds.back().own.at("intervals_skipped"), 3);
  }
  EXPECT_EQ(by_list.counts.at("edges_loaded"), 0U);
  EXPECT_LE(by_list.io.requested_bytes, 4U * 4096);
  EXPECT_GT(whole.io.requested_bytes, 10 * by_list.io.requested_bytes);
}

// The slower a random read is, the fewer rounds are selected.
TEST_F(SyncSubgraph, TheDevicesRatesDecide) {
  const auto selected = [&](double mb_per_s) {
    EngineOptions options = sync_options("benefit=paper,visibility=round");
    options.rates = DeviceRates{.source = "test",
                                .random_mb_per_s = mb_per_s,
                                .sequential_mb_per_s = 2000,
                                .write_mb_per_s = 1000,
                                .request = {.us = 4096 / mb_per_s, .us_per_kb = 0.5},
                                .in_order = {}};
    return count(run("bfs", options), "selected_rounds");
  };
  EXPECT_GT(selected(1e6), selected(100));
  EXPECT_EQ(selected(1e-6), 0U);
}

TEST_F(SyncSubgraph, SaysThatRatesAreGuessed) {
  const auto notes = [&](const EngineOptions& options) {
    return testing::PrintToString(run("bfs", options).report.notes);
  };
  EXPECT_THAT(notes(sync_options()), testing::HasSubstr("rates are guessed"));
  EXPECT_THAT(notes(sync_options("schedule=full")), testing::Not(testing::HasSubstr("guessed")));
  EngineOptions probed = sync_options();
  probed.rates = guessed_rates();
  EXPECT_THAT(notes(probed), testing::Not(testing::HasSubstr("guessed")));
  probed.rates->sequential_mb_per_s = 0;  // not known
  EXPECT_THAT(notes(probed), testing::HasSubstr("rates are guessed"));
}

// Values on disk cost both ways: a full round reads them once, a selected one twice, with the
// index of the paper's model.
TEST_F(SyncSubgraph, ValuesOnDiskEnterTheEstimates) {
  const auto estimates = [&](EngineOptions options) {
    options.rates = DeviceRates{.source = "test",
                                .random_mb_per_s = 500,
                                .sequential_mb_per_s = 2000,
                                .write_mb_per_s = 1000,
                                .request = kMeasuredCost,
                                .in_order = kMeasuredCost};
    const std::map<std::string, double> own = run("bfs", options).report.rounds.front().own;
    return std::pair(own.at("full_estimate_s"), own.at("selected_estimate_s"));
  };
  EngineOptions options = sync_options("benefit=paper");
  const auto [full, selected] = estimates(options);
  options.states =
      std::make_shared<StateStore>(StateFiles{.folder = toy_.folder()}, std::function<void()>());
  const auto [full_on_disk, selected_on_disk] = estimates(options);
  const double values = 4096;  // a byte a vertex: levels
  EXPECT_NEAR(full_on_disk - full, values / 2e9 + values / 1e9, 1e-12);
  EXPECT_NEAR(selected_on_disk - selected, 2 * values / 2e9 + values / 1e9, 1e-12);
}

// --- Values ---

TEST_F(SyncSubgraph, StatesInFilesComeAndGoByInterval) {
  for (const std::string way : {"p=8", "p=8,construction=parallel", "p=8,keep=on"}) {
    for (const std::string workload : {"pagerank", "wcc", "bfs"}) {
      SCOPED_TRACE(fmt::format("{} {}", way, workload));
      EngineOptions options = sync_options(way);
      const SyncRun in_memory = run(workload, options);
      options.states = std::make_shared<StateStore>(StateFiles{.folder = toy_.folder()},
                                                    std::function<void()>());
      const SyncRun in_files = run(workload, options);
      if (in_files.answer.exact) {
        EXPECT_EQ(in_files.answer.digest(), in_memory.answer.digest());
      }
      EXPECT_EQ(in_memory.report.counts.count("state_written_bytes"), 0U);
      EXPECT_GT(count(in_files, "state_written_bytes"), 0U);
      if (workload == "pagerank") {
        // Ranks and what was heard: as they begin, the ranks alone at first, and in each of ten
        // rounds, once.
        EXPECT_EQ(count(in_files, "state_written_bytes") / (4096 * 4), 1U + 2 + 10 * 2);
        EXPECT_THAT(options.states->in_files(),
                    testing::Contains(testing::Pair("messages", 4096 * 4)));
      }
    }
  }
}

TEST_F(SyncSubgraph, ThreadsChangeNoCounter) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    EngineOptions options = sync_options("p=3,schedule=full");
    options.threads = threads;
    const EngineReport report = run("wcc", options).report;
    EXPECT_EQ(report.counts.at("edges_loaded"), report.rounds.size() * layout_.facts().edges);
    EXPECT_EQ(report.rounds.front().requested_bytes, report.rounds.back().requested_bytes);
  }
}

}  // namespace
}  // namespace outcore
