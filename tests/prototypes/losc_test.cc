// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/losc.h"

namespace outcore::toys {
namespace {

std::unique_ptr<LoscEngine> three_intervals(const ToyGraph& g) {
  return std::make_unique<LoscEngine>(g, 3);
}

TEST(Losc, AnswersEveryToyUnderAnyNumbering) {
  expect_right_answers(three_intervals);
  expect_right_answers([](const ToyGraph& g) { return std::make_unique<LoscEngine>(g, 1); });
}

class LoscRound : public ::testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(Modes, LoscRound, ::testing::Values(Mode::push, Mode::pull));

TEST_P(LoscRound, MovesALabelThroughLaterIntervalsButOneStepWithinAnInterval) {
  const ToyGraph g = path(12);
  LoscEngine engine(g, 3);  // 0 to 3, 4 to 7, 8 to 11
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, GetParam());
  EXPECT_EQ(wcc.label[3], 2U) << "within an interval a vertex hears what was there before it";
  if (GetParam() == Mode::push) {
    EXPECT_EQ(wcc.label[4], 3U) << "vertex 3 spoke together with vertex 2";
    EXPECT_EQ(wcc.label[5], 3U) << "vertex 4 had heard of 3 when its interval came";
  } else {
    EXPECT_EQ(wcc.label[4], 2U) << "vertex 3 had been synchronized";
  }
  LoscEngine whole(g, 1);
  Wcc together(g.view());
  whole.round(together, Frontier::all(g.view()), Direction::out, GetParam());
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(together.label[v], v - 1);
}

TEST_P(LoscRound, TakesTheMessageOfALongListOnce) {
  const ToyGraph g = star(40);
  LoscEngine engine(g, 4);
  PagerankDelta delta(g.view());
  Frontier active = Frontier::all(g.view());
  Spy spy(delta, g, active);
  while (!active.empty()) active = engine.round(spy, std::move(active), Direction::out, GetParam());
  spy.expect_each_edge_once();
  EXPECT_GT(spy.begun(0), 1U);
  EXPECT_GE(spy.pieces, spy.begun(0) * 13);
}

TEST(Losc, PushLoadsOnlyTheOutListsOfActiveVertices) {
  const ToyGraph g = path(12);
  LoscEngine engine(g, 3);
  Bfs bfs(g.view(), 5);
  const std::vector<VertexId> source = {5};
  engine.round(bfs, Frontier::of(12, source), Direction::out, Mode::any);
  EXPECT_EQ(engine.out_edges_loaded, 2U);
  EXPECT_EQ(engine.in_edges_loaded, 0U);
  EXPECT_EQ(engine.intervals_skipped, 2U);
}

TEST(Losc, PullLoadsEveryEdgeTwiceWithoutWritingAny) {
  const ToyGraph g = cycle_with_chords(14);
  LoscEngine engine(g, 3);
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, Mode::any);
  EXPECT_EQ(engine.out_edges_loaded, g.view().edges);
  EXPECT_EQ(engine.in_edges_loaded, g.view().edges);
}

TEST(Losc, RanksByIterationsCompareExactlyWithOneIntervalOnly) {
  expect_right_ranks([](const ToyGraph& g) { return std::make_unique<LoscEngine>(g, 1); }, 5, 1e-12,
                     Mode::pull);
  // Push settles after the round, as it must: exact with any number of intervals.
  expect_right_ranks(three_intervals, 5, 1e-12, Mode::push);
  // Pull with several hears newer ranks: other numbers on the way, the same ones in the end.
  expect_right_ranks(three_intervals, 200, 1e-9, Mode::pull);
  const ToyGraph g = path(12);
  Pagerank pagerank(g.view());
  run_pagerank(*three_intervals(g), pagerank, 5, Mode::pull);
  EXPECT_GT(std::abs(pagerank.rank[5] - reference_ranks(g, 5)[5]), 1e-6);
}

TEST(Losc, LetsVerticesThatChangedSpeakAtOnceOnlyWhereTheNewestMessageIsEnough) {
  // Vertex 1, found in a round, may not speak in it where the first message is enough: vertex 6, in
  // a later interval, would hear of level 3 from it before it hears of level 2 from vertex 7.
  const ToyGraph g = graph_of("shortcut", 9, {{8, 0}, {8, 7}, {0, 1}, {1, 6}, {7, 6}}, true);
  const std::vector<VertexId> source = {8};
  const auto levels = [&](auto&& bfs) {
    LoscEngine engine(g, 9);
    Frontier active = Frontier::of(9, source);
    while (!active.empty())
      active = engine.round(bfs, std::move(active), Direction::out, Mode::pull);
    return bfs.level;
  };
  EXPECT_EQ(levels(Bfs(g.view(), 8)), reference_levels(g, 8));
  EXPECT_EQ(levels(BfsByRounds(g.view(), 8)), reference_levels(g, 8));
}

}  // namespace
}  // namespace outcore::toys
