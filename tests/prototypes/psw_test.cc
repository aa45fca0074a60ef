// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/psw.h"

namespace outcore::toys {
namespace {

std::unique_ptr<PswEngine> three_shards(const ToyGraph& g) {
  return std::make_unique<PswEngine>(g, 3);
}

TEST(Psw, AnswersEveryToyUnderAnyNumbering) {
  expect_right_answers(three_shards);
  expect_right_answers([](const ToyGraph& g) { return std::make_unique<PswEngine>(g, 1); });
}

TEST(Psw, RoundsOfTwoHalfPassesCompareExactly) { expect_right_ranks(three_shards, 5); }

TEST(Psw, HearsEachMessageOnceThoughItStaysOnTheEdge) {
  for (const ToyGraph& g : {star(40), cycle_with_chords(14)}) {
    PswEngine engine(g, 4);
    PagerankDelta delta(g.view());
    Spy spy(delta, g, Frontier::all(g.view()));
    engine.converge(spy, Frontier::all(g.view()));
    spy.expect_each_edge_once();
    EXPECT_GT(spy.begun(0), 1U);
    EXPECT_EQ(spy.shared_calls, 0U);
  }
}

TEST(Psw, MovesALabelDownThePathInOnePass) {
  const ToyGraph g = path(12);
  PswEngine engine(g, 3);
  Wcc wcc(g.view());
  engine.converge(wcc, Frontier::all(g.view()));
  // One pass takes label 0 to the end, also within intervals; the next pass finds nothing new to
  // say.
  EXPECT_EQ(engine.edges_written, 2 * g.view().edges);
  for (const VertexId label : wcc.label) EXPECT_EQ(label, 0U);
}

TEST(Psw, WritesEveryEdgeOnceAndReadsItTwiceInARound) {
  const ToyGraph g = cycle_with_chords(14);
  PswEngine engine(g, 3);
  Pagerank pagerank(g.view());
  run_pagerank(engine, pagerank, 1);
  EXPECT_EQ(engine.edges_written, g.view().edges);  // the |E| W of LOSC section 3.5
  EXPECT_EQ(engine.edges_read, 2 * g.view().edges);
}

TEST(Psw, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyGraph g = path(12);
  Wcc wcc(g.view());
  three_shards(g)->round(wcc, Frontier::all(g.view()), Direction::out, Mode::any);
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

TEST(Psw, SchedulesOnlyIntervalsThatHaveSomethingToHearOrSay) {
  const ToyGraph g = path(12);
  PswEngine engine(g, 3);
  Wcc wcc(g.view());
  for (VertexId v = 0; v < 12; ++v) wcc.label[v] = v < 11 ? 0 : 7;
  const std::vector<VertexId> last = {11};
  engine.converge(wcc, Frontier::of(12, last));
  EXPECT_LT(engine.edges_written, g.view().edges) << "the last interval alone, twice at most";
}

}  // namespace
}  // namespace outcore::toys
