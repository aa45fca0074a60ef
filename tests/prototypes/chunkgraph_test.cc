// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/chunkgraph.h"

#include <gmock/gmock.h>

namespace outcore::toys {
namespace {

constexpr EdgeIndex kAlwaysDense = 1000;

TEST(ChunkGraph, AnswersEveryToyUnderAnyNumberingPushingPullingAndSwitching) {
  for (const EdgeIndex dense_share : {EdgeIndex{0}, EdgeIndex{4}, kAlwaysDense}) {
    const auto make = [&](const ToyGraph& g) {
      return std::make_unique<ChunkGraph>(g, dense_share);
    };
    expect_right_answers(make);
    expect_right_ranks(make, 5);
  }
}

TEST(ChunkGraph, TakesOneMessageForASuperVertex) {
  const ToyGraph g = star(40);  // the hub is super
  for (const EdgeIndex dense_share : {EdgeIndex{0}, kAlwaysDense}) {
    ChunkGraph engine(g, dense_share);
    PagerankDelta delta(g.view());
    Spy spy(delta, g, Frontier::all(g.view()));
    engine.converge(spy, Frontier::all(g.view()));
    spy.expect_each_edge_once();
    EXPECT_GT(spy.begun(0), 1U);
  }
}

TEST(ChunkGraph, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyGraph g = path(12);
  for (const Mode mode : {Mode::push, Mode::pull}) {
    ChunkGraph engine(g);
    Wcc wcc(g.view());
    engine.round(wcc, Frontier::all(g.view()), Direction::out, mode);
    for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
  }
}

TEST(ChunkGraph, SwitchesToPullWhileTheFrontierIsHeavyAndOnlyThenReadsTheInGraph) {
  const ToyGraph g = star(40);
  ChunkGraph engine(g);
  BfsByRounds bfs(g.view(), 1);
  const std::vector<VertexId> source = {1};
  engine.converge(bfs, Frontier::of(40, source));
  std::vector<bool> pulled;
  for (const RoundReport& round : engine.report().rounds) pulled.push_back(round.pull);
  // One leaf; then the hub with half of all edges; then all the other leaves with the other half.
  EXPECT_THAT(pulled, ::testing::ElementsAre(false, true, true));
  EXPECT_TRUE(engine.out_graph.touched.empty()) << "the leaf is mini, and the hub was not pushed";
}

TEST(ChunkGraph, TouchesNoChunkForMiniVertices) {
  const ToyGraph g = path(17);
  ChunkGraph engine(g);
  Wcc wcc(g.view());
  engine.converge(wcc, Frontier::all(g.view()));
  EXPECT_TRUE(engine.out_graph.touched.empty());
  EXPECT_TRUE(engine.in_graph.touched.empty());
}

TEST(ChunkGraph, PutsMediumListsIntoTheLevelThatFitsAndNeverCutsThem) {
  ToyGraph g = clique(9);  // eight edges each: the second level, one list a chunk
  ChunkGraph engine(g, 0);
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, Mode::push);
  EXPECT_EQ(engine.out_graph.touched.size(), 9U);
  for (const auto& [chunk, times] : engine.out_graph.touched) {
    EXPECT_EQ(chunk.level, 1U);
    EXPECT_EQ(times, 1);
  }
}

TEST(ChunkGraph, ReadsASuperVertexOnlyUntilItHasHeardEnough) {
  const ToyGraph g = star(40);  // 39 edges: seven pages
  ChunkGraph engine(g, kAlwaysDense);
  BfsByRounds bfs(g.view(), 8);
  const std::vector<VertexId> source = {8};
  engine.round(bfs, Frontier::of(40, source), Direction::out, Mode::any);
  EXPECT_EQ(engine.in_graph.touched.size(), 2U) << "8 is on the hub's second page";
}

TEST(ChunkGraph, TouchesChunksInFileOrderInDenseRounds) {
  const ToyGraph g = two_components();
  ChunkGraph engine(g, kAlwaysDense);
  std::vector<ChunkStore::Chunk> order;
  for (const VertexId v : engine.in_graph.order()) {
    if (engine.in_graph.degree(v) <= ChunkStore::kMini) continue;
    const auto before = engine.in_graph.touched;
    engine.in_graph.read(v, 0, [](const Piece&) { return true; });
    for (const auto& [chunk, times] : engine.in_graph.touched) {
      if (!before.contains(chunk) || before.at(chunk) != times) order.push_back(chunk);
    }
  }
  EXPECT_FALSE(order.empty());
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace outcore::toys
