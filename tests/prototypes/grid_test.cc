// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/grid.h"

namespace outcore::toys {
namespace {

TEST(Grid, AnswersEveryToyUnderAnyNumbering) {
  for (const VertexId chunks : {1U, 3U, 5U}) {
    const auto make = [&](const ToyGraph& g) { return std::make_unique<GridEngine>(g, chunks); };
    expect_right_answers(make);
    expect_right_ranks(make, 5);
  }
}

TEST(Grid, TakesOneMessageForAListThatSpansBlocks) {
  const ToyGraph g = star(40);
  GridEngine engine(g, 4);
  PagerankDelta delta(g.view());
  Spy spy(delta, g, Frontier::all(g.view()));
  engine.converge(spy, Frontier::all(g.view()));
  spy.expect_each_edge_once();
  EXPECT_GT(spy.begun(0), 1U);
  EXPECT_EQ(spy.shared_calls, 0U) << "one writer a column needs no atomics";
}

TEST(Grid, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyGraph g = path(12);
  GridEngine engine(g, 3);
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, Mode::any);
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

TEST(Grid, SkipsBlocksWithoutAnActiveSource) {
  const ToyGraph g = path(12);  // blocks on the diagonal, and one on each side of it
  GridEngine engine(g, 3);
  Bfs bfs(g.view(), 0);
  const std::vector<VertexId> source = {0};
  engine.round(bfs, Frontier::of(12, source), Direction::out, Mode::any);
  EXPECT_EQ(engine.blocks_read, 2U) << "(0, 0) and (0, 1)";
  EXPECT_EQ(engine.blocks_skipped, 5U);
}

TEST(Grid, GoesAgainstTheEdgesByReadingItsBlocksTransposed) {
  const ToyGraph g = cycle_with_chords(14);
  GridEngine engine(g, 3);
  Bfs bfs(g.view(), 4);
  const std::vector<VertexId> source = {4};
  const Frontier heard = engine.round(bfs, Frontier::of(14, source), Direction::in, Mode::push);
  std::vector<VertexId> found;
  for (VertexId v = 0; v < 14; ++v) {
    if (heard.contains(v)) found.push_back(v);
  }
  EXPECT_EQ(found, g.in[4]);
}

}  // namespace
}  // namespace outcore::toys
