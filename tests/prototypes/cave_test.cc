// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/cave.h"

#include <gmock/gmock.h>

namespace outcore::toys {
namespace {

Cave::Options vertex_parallel() { return {.blocked = false}; }

TEST(Cave, AnswersEveryToyUnderAnyNumbering) {
  for (const bool blocked : {false, true}) {
    const auto make = [&](const ToyGraph& g) {
      return std::make_unique<Cave>(g, Cave::Options{.blocked = blocked});
    };
    expect_right_answers(make);
    expect_right_ranks(make, 5);
  }
}

TEST(Cave, PullsAsItsPageRankDoes) {
  for (const ToyGraph& g : {star(40), two_components(), renumbered(star(40), 3)}) {
    Cave engine(g, {});
    Pagerank pagerank(g.view());
    run_pagerank(engine, pagerank, 5, Mode::pull);
    expect_near(by_original(g, pagerank.rank), reference_ranks(g, 5), 1e-12);
  }
}

TEST(Cave, TakesOneMessageForAListThatSpansBlocks) {
  const ToyGraph g = star(40);
  for (const bool blocked : {false, true}) {
    Cave engine(g, {.blocked = blocked});
    PagerankDelta delta(g.view());
    Spy spy(delta, g, Frontier::all(g.view()));
    engine.converge(spy, Frontier::all(g.view()));
    spy.expect_each_edge_once();
    EXPECT_GT(spy.begun(0), 1U);
  }
}

TEST(Cave, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyGraph g = path(12);
  Cave engine(g, vertex_parallel());
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, Mode::push);
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

// The most often that a round of label propagation reads one block.
std::size_t most_reads_of_a_block(bool blocked) {
  // Long and short lists alternate, so that first fit puts neighbouring ids into different blocks.
  const ToyGraph g = two_components();
  Cave engine(g, {.blocked = blocked, .k_r = 1, .cache_blocks = 1});
  Wcc wcc(g.view());
  Frontier frontier = Frontier::all(g.view());
  std::size_t most = 0;
  while (!frontier.empty()) {
    frontier = engine.round(wcc, std::move(frontier), Direction::out, Mode::push);
    std::map<BlockId, std::size_t> reads;
    for (const BlockId block : engine.blocks.take_reads()) most = std::max(most, ++reads[block]);
  }
  return most;
}

TEST(Cave, ReadsABlockOnceARoundOnlyWhenBlocked) {
  EXPECT_EQ(most_reads_of_a_block(true), 1U);
  EXPECT_GT(most_reads_of_a_block(false), 1U);
}

// Algorithm 6: all unvisited neighbours go on the stack; optionally until a target is seen.
class PseudoDfs : public TaskProgram {
 public:
  explicit PseudoDfs(const Graph& graph, VertexId target = kNoVertex)
      : visited(graph.id_space), target_(target) {}
  ListRange wants(const Task& /*task*/, std::uint32_t degree) override { return {0, degree}; }
  void step(const Task& /*task*/, const Piece& piece, TaskStack& next) override {
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      if (visited.set(piece.ids[i])) next.push_back({piece.ids[i]});
      // Relaxed: the flag says only that it is enough.
      if (piece.ids[i] == target_) found_.store(true, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool done() const override { return found_.load(std::memory_order_relaxed); }

  Bitmap visited;

 private:
  VertexId target_;
  std::atomic<bool> found_ = false;
};

TEST(Cave, VisitsWhatIsReachableBySplitStacks) {
  unsigned splits = 0;
  for (const ToyGraph& g : every_shape()) {
    SCOPED_TRACE(g.name);
    const VertexId source = g.id_of(g.view().vertices / 2);
    Cave engine(g, {.k_r = 4, .stack_threshold = 2});
    PseudoDfs dfs(g.view());
    dfs.visited.set(source);
    const Task start{source};
    engine.drive(dfs, {&start, 1});
    const auto levels = reference_levels(g, g.view().vertices / 2);
    for (VertexId v = 0; v < g.id_space(); ++v) {
      if (!g.view().is_real(v)) continue;
      EXPECT_EQ(dfs.visited.get(v), levels[g.view().original(v)] != Bfs::kUnreached) << v;
    }
    splits += engine.splits;
  }
  EXPECT_GT(splits, 0U);
}

TEST(Cave, StopsInTheMiddleOfAHubWhenTheTargetIsSeen) {
  const ToyGraph g = star(40);  // 39 edges, 7 blocks
  Cave engine(g, {});
  PseudoDfs search(g.view(), 8);
  const Task start{0};
  engine.drive(search, {&start, 1});
  EXPECT_EQ(engine.blocks.take_reads().size(), 2U) << "8 is in the hub's second block";
}

// Walks whose choices hang on original ids only: step s of walker w at v goes to the neighbour of
// rank hash(w, s, v) % degree by original id.
class Walk : public TaskProgram {
 public:
  Walk(const Graph& graph, std::size_t walkers, std::uint32_t steps)
      : path(walkers), graph_(graph), seen_(walkers), steps_(steps) {}
  // In a ranked list that neighbour's position is known; else the whole list must be looked at.
  ListRange wants(const Task& task, std::uint32_t degree) override {
    if (degree == 0 || !graph_.ranked) return {0, degree};
    const std::uint32_t rank = choice(task, degree);
    return {rank, rank + 1};
  }
  void step(const Task& task, const Piece& piece, TaskStack& next) override {
    // One task a walker, and its pieces one after another: no lock is needed.
    std::vector<VertexId>& seen = seen_[task.state];
    seen.insert(seen.end(), piece.ids, piece.ids + piece.count);
    if (piece.degree != 0 && !graph_.ranked && seen.size() < piece.degree) return;
    if (!seen.empty() && path[task.state].size() + 1 < steps_) {
      std::sort(seen.begin(), seen.end(),
                [&](VertexId a, VertexId b) { return graph_.original(a) < graph_.original(b); });
      next.push_back({graph_.ranked ? seen[0] : seen[choice(task, piece.degree)], task.state});
    }
    path[task.state].push_back(graph_.original(task.v));
    seen.clear();
  }

  std::vector<std::vector<VertexId>> path;  // of each walker, original ids

 private:
  [[nodiscard]] std::uint32_t choice(const Task& task, std::uint32_t degree) const {
    const std::uint64_t step = path[task.state].size();
    return static_cast<std::uint32_t>(mix(graph_.original(task.v) ^ mix(task.state << 32 | step)) %
                                      degree);
  }
  Graph graph_;
  std::vector<std::vector<VertexId>> seen_;
  std::size_t steps_;
};

std::vector<std::vector<VertexId>> walks(const ToyGraph& g, bool ranked, std::size_t* reads) {
  Graph graph = g.view();
  graph.ranked = ranked;
  Walk walk(graph, 5, 30);
  std::vector<Task> starts;
  for (std::uint64_t w = 0; w < 5; ++w) starts.push_back({g.id_of(static_cast<VertexId>(w)), w});
  Cave engine(g, {.k_r = 3, .cache_blocks = 1, .stack_threshold = 1});
  engine.drive(walk, starts);
  *reads = engine.blocks.take_reads().size();
  return walk.path;
}

TEST(Cave, WalkersGoTheSameWayUnderAnyNumberingAndReadOneEdgeWhereListsAreRanked) {
  for (const ToyGraph& g : {star(40), cycle_with_chords(14)}) {
    std::size_t few = 0;
    std::size_t many = 0;
    std::size_t renumbered_reads = 0;
    const auto expected = walks(g, true, &few);
    EXPECT_EQ(walks(g, false, &many), expected);
    EXPECT_EQ(walks(renumbered(g, 7), false, &renumbered_reads), expected);
    EXPECT_EQ(expected[0].size(), 30U);
    if (g.name == "star") {
      EXPECT_LT(2 * few, many);
    }
  }
}

TEST(Cave, TellsAWalkerAtADeadEndByAnEmptyPiece) {
  const ToyGraph g = graph_of("edge", 2, {{0, 1}}, false);
  Walk walk(g.view(), 1, 30);
  const Task start{0, 0};
  Cave(g, {}).drive(walk, {&start, 1});
  EXPECT_THAT(walk.path[0], ::testing::ElementsAre(0, 1));
}

}  // namespace
}  // namespace outcore::toys
