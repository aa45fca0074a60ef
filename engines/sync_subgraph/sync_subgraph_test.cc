// SPDX-License-Identifier: Apache-2.0
// What makes the synchronous subgraph engine LOSC's model: what it asks of the device, in which
// order vertices hear of one another, and how its knobs move counters.
#include "engines/sync_subgraph/sync_subgraph.h"

#include <fmt/format.h>

#include <set>

#include "engines/sync_subgraph/sync_subgraph_fixture.h"
#include "tests/contract/toys.h"

namespace outcore {
namespace {

// --- The trace ---

TEST_F(SyncSubgraph, FullRoundsAskForEachBlockOnceAscending) {
  const std::vector<Asked> asked = trace("pagerank", sync_options("p=1"));
  ASSERT_EQ(asked.size(), 10 * blocks());
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i].block, i % blocks());
}

TEST_F(SyncSubgraph, FullRoundsAskForTheBordersOfIntervalsTwiceAtMost) {
  constexpr std::uint64_t kIntervals = 7;
  const std::vector<Asked> asked = trace("pagerank", sync_options("p=7"));
  std::map<std::pair<std::uint64_t, BlockId>, int> times;
  std::uint64_t twice = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const int seen = ++times[{asked[i].round, asked[i].block}];
    EXPECT_LE(seen, 2);
    twice += seen == 2 ? 1 : 0;
    if (i > 0 && asked[i].round == asked[i - 1].round) {
      EXPECT_GE(asked[i].block + 1, asked[i - 1].block + (seen == 2 ? 0 : 2));
    }
  }
  EXPECT_EQ(times.size(), 10 * blocks());
  EXPECT_GT(twice, 0U);
  EXPECT_LE(twice, 10 * (kIntervals - 1));
}

TEST_F(SyncSubgraph, SelectedRoundsAskForExactlyTheBlocksOfActiveLists) {
  const ListIndex& index = layout_.index(Direction::out);
  std::vector<VertexId> active;
  std::set<BlockId> wanted;
  for (VertexId v = 100; v < 140; v += 7) {
    active.push_back(v);
    if (index.degree(v) == 0) continue;
    const ListAddress list = index.address(v);
    for (BlockId b = index.first_block(list); b <= index.last_block(list); ++b) wanted.insert(b);
  }
  const std::filesystem::path path = toy_.folder() / "trace.oct";
  TraceHeader header;
  header.workers = 2;
  header.file_units = {blocks()};
  TraceWriter writer(path, header);
  EngineOptions options = sync_options("schedule=selected,p=9");
  options.trace = &writer;
  const auto engine = find_engine("sync_subgraph").make(layout_, options);
  toys::Wcc wcc(engine->graph());
  engine->round(wcc, Frontier::of(engine->graph().id_space, active), Direction::out, Mode::any);
  writer.close();
  std::set<BlockId> asked;
  for (const Asked& block : asked_blocks(path)) EXPECT_TRUE(asked.insert(block.block).second);
  EXPECT_EQ(asked, wanted);
  const EngineReport report = engine->report();
  EXPECT_FALSE(report.rounds.back().pull);
  EXPECT_GT(report.rounds.back().own.at("intervals_skipped"), 0);
  EXPECT_EQ(report.io.written_bytes, 0U);
}

// A vertex that has a level does not listen: the later rounds of a search need no interval of them.
TEST(SyncSubgraphIntervals, AreNotLoadedWhereNoVertexListens) {
  const ToyContainer toy(path(50'000), true);
  const Layout layout(toy.layout(layout_preset("losc")));
  const auto engine = find_engine("sync_subgraph").make(layout, sync_options("p=5,schedule=auto"));
  toys::BfsByRounds bfs(engine->graph(), 0);
  constexpr VertexId kHalf = 25'000;
  for (VertexId v = 1; v < kHalf; ++v) bfs.level[v] = v;
  const VertexId last = kHalf - 1;
  engine->round(bfs, Frontier::of(engine->graph().id_space, {&last, 1}), Direction::out,
                Mode::pull);
  EXPECT_EQ(bfs.level[kHalf], kHalf);
  const RoundReport round = engine->report().rounds.back();
  EXPECT_EQ(round.own.at("intervals_skipped"), 2);
  EXPECT_LT(round.requested_bytes, layout.block_files()[0].blocks() * 4096);
}

// --- Who hears what ---

// Stops a converging program at the beginning of its second round.
struct SecondRound : std::exception {};
class OneRound : public toys::Spy {
 public:
  using toys::Spy::Spy;
  void listening(VertexRange range, Bitmap& out) override {
    if (range.begin == 0 && rounds_++ == 1) throw SecondRound{};
    toys::Spy::listening(range, out);
  }

 private:
  int rounds_ = 0;
};

class SyncSubgraphPath : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] EngineOptions options(const std::string& parameters) const {
    return sync_options(fmt::format("construction={},schedule=full,{}", GetParam(), parameters));
  }
  std::vector<VertexId> labels_after_a_round(const std::string& parameters) const {
    const auto engine = find_engine("sync_subgraph").make(layout_, options(parameters));
    toys::Wcc wcc(engine->graph());
    OneRound round(wcc, graph_, Frontier::all(engine->graph()));
    EXPECT_THROW(engine->converge(round, Frontier::all(engine->graph())), SecondRound);
    EXPECT_EQ(round.shared_calls, 0U) << "a vertex belongs to one worker";
    return wcc.label;
  }
  [[nodiscard]] std::size_t rounds(const std::string& parameters) const {
    return run_sync(layout_, "wcc", options(parameters)).report.rounds.size();
  }

  toys::ToyGraph graph_ = toys::path(12);
  ToyContainer toy_{path(12), true};
  Layout layout_{toy_.layout(layout_preset("losc"))};
};
INSTANTIATE_TEST_SUITE_P(Constructions, SyncSubgraphPath,
                         ::testing::Values("fused", "parallel", "serial"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(SyncSubgraphPath, MovesALabelThroughLaterIntervalsButOneStepWithinAnInterval) {
  const std::vector<VertexId> heard = labels_after_a_round("p=3");  // 0 to 3, 4 to 7, 8 to 11
  EXPECT_EQ(heard[3], 2U) << "within an interval a vertex hears what was there before it";
  EXPECT_EQ(heard[4], 2U) << "vertex 3 had been synchronised";
  EXPECT_EQ(heard[5], 4U);
  for (const char* together : {"p=1", "p=3,visibility=round"}) {
    const std::vector<VertexId> labels = labels_after_a_round(together);
    for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(labels[v], v - 1) << together;
  }
}

// The label of vertex 0 goes one step a round, and over the border of an interval in the same one.
TEST_P(SyncSubgraphPath, TakesARoundLessForEachBorder) {
  const std::size_t by_round = rounds("p=3,visibility=round");
  EXPECT_EQ(by_round, 12U);
  EXPECT_EQ(rounds("p=1"), by_round);
  EXPECT_EQ(rounds("p=3"), by_round - 2);
  EXPECT_EQ(rounds("p=12"), 2U);
}

TEST_P(SyncSubgraphPath, ReentersAnIntervalUntilItIsStill) {
  EXPECT_EQ(rounds("p=3,reenter=2"), rounds("p=3") / 2);
  EXPECT_EQ(rounds("p=3,reenter=100"), 2U) << "rounds by intervals, not by vertices";
  EXPECT_EQ(rounds("p=1,reenter=100"), 2U);
  EXPECT_EQ(rounds("p=3,visibility=round,reenter=100"), 12U) << "a round is a round";
}

// Vertex 1, found in a round, may not speak in it where the first message is enough: vertex 6, in a
// later interval, would hear of level 3 from it before it hears of level 2 from vertex 7.
TEST(SyncSubgraphShortcut, WhatChangedSpeaksAtOnceOnlyWhereTheNewestMessageIsEnough) {
  const Shape shape{"shortcut", 9, {{8, 0}, {8, 7}, {0, 1}, {1, 6}, {7, 6}}};
  const ToyContainer toy(shape, true);
  const Layout layout(toy.layout(layout_preset("losc")));
  const VertexId source = 8;
  const auto levels = [&](auto bfs) {
    const auto engine =
        find_engine("sync_subgraph").make(layout, sync_options("p=9,schedule=full"));
    engine->converge(bfs, Frontier::of(9, {&source, 1}));
    return bfs.level;
  };
  const toys::ToyGraph graph = toys::graph_of(shape.name, shape.vertices, shape.edges, true);
  EXPECT_EQ(levels(toys::Bfs(graph.view(), source)), toys::reference_levels(graph, source));
  EXPECT_EQ(levels(toys::BfsByRounds(graph.view(), source)), toys::reference_levels(graph, source));
}

TEST_F(SyncSubgraph, SaysWhichVisibilityHeld) {
  EXPECT_EQ(run("wcc", sync_options()).report.visibility, Visibility::interval);
  EXPECT_EQ(run("wcc", sync_options("visibility=round")).report.visibility, Visibility::round);
  EXPECT_EQ(run("pagerank", sync_options()).report.visibility, Visibility::round)
      << "iterations are counted";
  EXPECT_EQ(run("kcore", sync_options()).report.visibility, Visibility::round)
      << "each message counts";
}

// --- Answers ---

std::vector<std::string> many_ways() {
  return {"",
          "p=5",
          "p=5,visibility=round",
          "p=64,construction=parallel",
          "p=3,construction=serial,keep=on",
          "schedule=full,p=9",
          "schedule=selected",
          "benefit=paper,p=2",
          "p=7,reenter=3,keep=on",
          "shards=both,p=5",
          "shards=both,p=5,construction=parallel"};
}

void expect_answers_of_the_reference(const ToyContainer& toy, const Layout& layout,
                                     bool symmetric) {
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const Workload& workload : workloads()) {
    if (refused_on(workload, symmetric, canonical.out.edges())) continue;
    if (!can_run(SyncSubgraphEngine::kTraits, layout, workload)) continue;
    std::string digest;
    for (const std::string& way : many_ways()) {
      for (const unsigned threads : {1U, 3U}) {
        SCOPED_TRACE(testing::Message() << workload.name << " " << way << " " << threads);
        EngineOptions options = sync_options(way);
        options.threads = threads;
        options.backend = "mem";
        options.frames_bytes = (way.find("p=") < way.size() ? 1024U : 12U) * std::uint64_t{4096};
        const Answer answer = run_sync(layout, workload.name, options).answer;
        if (answer.exact && answer.digest() == digest) continue;
        EXPECT_EQ(digest, "") << "another answer";
        const Verdict verdict = workload.verify(canonical, answer, toy_parameters(workload));
        EXPECT_TRUE(verdict.passed) << verdict.detail;
        if (answer.exact) digest = answer.digest();
      }
    }
  }
}

class SyncSubgraphAnswers : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Sweep, SyncSubgraphAnswers, ::testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "symmetric" : "directed");
});

TEST_P(SyncSubgraphAnswers, AreTheSameInEveryWay) {
  const ToyContainer toy(small_kronecker(9, 16, 1), GetParam());
  expect_answers_of_the_reference(toy, Layout(toy.layout(layout_preset("losc"))), GetParam());
}

}  // namespace
}  // namespace outcore
