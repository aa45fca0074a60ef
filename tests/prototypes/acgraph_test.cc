// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/acgraph.h"

#include <gmock/gmock.h>

namespace outcore::toys {
namespace {

AcGraph::Options serial(std::size_t frames, unsigned early_stop = 0) {
  return {.executors = 1, .frames = frames, .early_stop = early_stop};
}

TEST(AcGraph, AnswersEveryToyUnderAnyNumbering) {
  for (const unsigned executors : {1U, 2U, 4U}) {
    for (const std::size_t frames : {1U, 3U}) {
      for (const unsigned early_stop : {0U, 1U}) {
        const auto make = [&](const ToyGraph& g) {
          return std::make_unique<AcGraph>(g, AcGraph::Options{executors, frames, early_stop});
        };
        expect_right_answers(make);
      }
    }
  }
}

TEST(AcGraph, RunsByRoundsWithASecondWorklist) {
  expect_right_ranks(
      [](const ToyGraph& g) { return std::make_unique<AcGraph>(g, AcGraph::Options{}); }, 5);
  const ToyGraph g = path(12);
  AcGraph engine(g, {});
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, Mode::push);
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

TEST(AcGraph, RunsAProgramThatSettlesByRounds) {
  const ToyGraph g = star(8);
  AcGraph engine(g, {});
  Pagerank pagerank(g.view());
  engine.converge(pagerank, Frontier::all(g.view()));  // activates nothing: one round
  expect_near(pagerank.rank, reference_ranks(g, 1), 1e-12);
}

TEST(AcGraph, SeesWhateverHasBeenWritten) {
  // The least label goes first, though its vertex has not the least id, and all others have heard
  // it before they speak: each speaks once, where a round would let each speak of itself before.
  const ToyGraph g = renumbered(clique(9), 2);
  AcGraph engine(g, serial(1));
  EXPECT_EQ(engine.capabilities().converge, Visibility::immediate);
  Wcc wcc(g.view());
  Spy spy(wcc, g, Frontier::all(g.view()));
  engine.converge(spy, Frontier::all(g.view()));
  for (VertexId v = 0; v < g.id_space(); ++v)
    EXPECT_EQ(spy.begun(v), g.view().is_real(v) ? 1U : 0U);
}

TEST(AcGraph, NeedsNoFrameForMiniVertices) {
  const ToyGraph g = path(12);
  AcGraph engine(g, serial(1));
  Bfs bfs(g.view(), 0);
  const std::vector<VertexId> source = {0};
  engine.converge(bfs, Frontier::of(12, source));
  for (const Event& event : engine.events) EXPECT_NE(event.kind, Event::Kind::load);
}

// A hub of many pieces whose own list leads back to it: every piece of it may activate it again.
ToyGraph hub_with_self_loops() {
  Edges edges;
  for (VertexId v = 1; v < 25; ++v) {
    edges.emplace_back(0, v);
    edges.emplace_back(v, 0);
    if (v % 3 == 0) edges.emplace_back(0, 0);
  }
  return graph_of("hub", 25, edges, false);
}

TEST(AcGraph, TakesOneMessageForAListInPiecesThoughItIsActivatedAgainMeanwhile) {
  const ToyGraph g = hub_with_self_loops();
  for (const unsigned executors : {1U, 4U}) {
    AcGraph engine(g, {.executors = executors, .frames = 3});
    PagerankDelta delta(g.view());
    Spy spy(delta, g, Frontier::all(g.view()));
    engine.converge(spy, Frontier::all(g.view()));
    spy.expect_each_edge_once();
    EXPECT_GT(spy.begun(0), 1U);
    const auto meanwhile = [&](const Event& event) {
      return event.kind == Event::Kind::reactivate && event.block == engine.block_of(0) &&
             event.pieces_left > 1;
    };
    EXPECT_TRUE(std::any_of(engine.events.begin(), engine.events.end(), meanwhile));
    expect_near(delta.rank, reference_ranks(g, 200), 1e-6);
  }
}

TEST(AcGraph, RunsAVertexOnlyAfterAndNoMoreOftenThanItWasActivated) {
  const ToyGraph g = renumbered(clique(9), 2);
  AcGraph engine(g, {.executors = 4, .frames = 2});
  Wcc wcc(g.view());
  Spy spy(wcc, g, Frontier::all(g.view()));
  engine.converge(spy, Frontier::all(g.view()));
  spy.expect_each_edge_once();
}

// Blocks A = {0} and B = {1}, which activate each other's vertices and their own.
ToyGraph two_blocks() {
  // Five edges a vertex fill a block but for one slot. 0 and 1 stand in blocks 0 and 1.
  return graph_of("two_blocks", 8,
                  {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 0}, {1, 5}, {1, 6}, {1, 7}, {1, 1}},
                  false);
}

// Emits as often as it is told, whatever it hears; priorities are the ids.
class Echo : public VertexProgram<Echo, std::int32_t> {
 public:
  Echo(const Graph& graph, std::int32_t times, VertexId soonest)
      : left_(graph.id_space, times), soonest_(soonest) {}
  [[nodiscard]] Traits traits() const override { return {.message_bytes = sizeof(Message)}; }
  std::int32_t emit(Source /*u*/) { return 0; }
  template <Access A>
  Priority accept(VertexId v, std::int32_t /*m*/) {
    return increase<A>(left_[v], -1) > 0 ? priority(v) : kQuiet;
  }
  Priority priority(VertexId v) override { return v == soonest_ ? 1 : 2; }

 private:
  std::vector<std::int32_t> left_;
  VertexId soonest_;
};

std::vector<std::size_t> blocks_processed(const AcGraph::Options& options) {
  const ToyGraph g = two_blocks();
  AcGraph engine(g, options);
  Echo echo(g.view(), 2, 1);
  const std::vector<VertexId> first = {0};
  engine.converge(echo, Frontier::of(8, first));
  std::vector<std::size_t> order;
  for (const Event& event : engine.events) {
    if (event.kind == Event::Kind::process && event.block != engine.block_of(7))
      order.push_back(event.block);
  }
  return order;
}

TEST(AcGraph, ProcessesACachedBlockAgainBeforeASoonerUncachedOne) {
  // Processing 0 activates 0 again, and 1, which is sooner but has no frame.
  EXPECT_THAT(blocks_processed(serial(1)), ::testing::ElementsAre(0, 0, 0, 1));
}

TEST(AcGraph, StopsReuseEarlyIfTold) {
  const auto order = blocks_processed(serial(1, 1));
  EXPECT_THAT(order, ::testing::ElementsAre(0, 0, 1, 0));
}

TEST(AcGraph, LoadsTheSoonestUncachedBlockAndAsksForTheFirstPriorities) {
  const ToyGraph g = two_blocks();
  AcGraph engine(g, serial(1));
  Echo echo(g.view(), 0, 1);
  const std::vector<VertexId> first = {0, 1};
  engine.converge(echo, Frontier::of(8, first));
  std::vector<std::size_t> loads;
  for (const Event& event : engine.events) {
    if (event.kind == Event::Kind::load) loads.push_back(event.block);
  }
  EXPECT_THAT(loads, ::testing::ElementsAre(1, 0)) << "though 0 was submitted first";
}

TEST(AcGraph, MovesABlockUpWhenItsPriorityRisesAndForgetsItWhenProcessed) {
  Worklist worklist({1, 1, 1}, 1, 0);
  const Executor executor(1);
  worklist.submit(0, 0, 5);
  worklist.submit(1, 1, 6);
  worklist.submit(2, 2, 7);
  worklist.submit(2, 3, 1);  // another vertex of block 2, sooner than all
  for (const std::size_t expected : {2U, 0U, 1U}) {
    const auto task = worklist.pull(executor);
    EXPECT_EQ(task->block, expected);
    worklist.take(expected);
    worklist.begun(expected);
    worklist.finish(*task);
    // Active again: its old priority says nothing any more.
    if (expected == 2) worklist.submit(2, 2, 9);
  }
  EXPECT_EQ(worklist.pull(executor)->block, 2U);
  EXPECT_EQ(worklist.events.back().priority, 9);
}

}  // namespace
}  // namespace outcore::toys
