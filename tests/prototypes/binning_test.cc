// SPDX-License-Identifier: Apache-2.0
#include "tests/prototypes/binning.h"

namespace outcore::toys {
namespace {

TEST(Binning, AnswersEveryToyUnderAnyNumbering) {
  for (const unsigned threads : {1U, 3U}) {
    const auto make = [&](const ToyGraph& g) {
      return std::make_unique<BinningEngine>(g, threads);
    };
    expect_right_answers(make);
    expect_right_ranks(make, 5);
  }
}

TEST(Binning, TakesOneMessageForAListThatSpansPagesOnManyThreads) {
  const ToyGraph g = star(200);
  BinningEngine engine(g, 3);
  PagerankDelta delta(g.view());
  Spy spy(delta, g, Frontier::all(g.view()));
  engine.converge(spy, Frontier::all(g.view()));
  spy.expect_each_edge_once();
  EXPECT_GT(spy.begun(0), 1U);
  EXPECT_GT(spy.pieces, spy.begun(0) * 49) << "the hub's list is 50 pages long";
  EXPECT_GT(engine.handed_over_early, 0U) << "bins were gathered while pages were scattered";
}

// A program that records which access its engine grants.
class Witness : public VertexProgram<Witness, VertexId> {
 public:
  VertexId emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId /*v*/, VertexId /*m*/) {
    ++(A == Access::shared ? shared : exclusive);
    return kQuiet;
  }
  std::atomic<int> shared = 0;
  std::atomic<int> exclusive = 0;
};

TEST(Binning, HearsWithoutAtomics) {
  const ToyGraph g = clique(9);
  BinningEngine engine(g, 3);
  Witness witness;
  engine.round(witness, Frontier::all(g.view()), Direction::out, Mode::any);
  EXPECT_EQ(witness.shared, 0);
  EXPECT_EQ(witness.exclusive, 9 * 8);
}

TEST(Binning, ReadsOnlyPagesOfThePageFrontier) {
  const ToyGraph g = star(41);  // 40 edges of the hub, then 40 lists of one edge: 20 pages
  BinningEngine engine(g, 2);
  Wcc wcc(g.view());
  const std::vector<VertexId> last = {40};
  engine.round(wcc, Frontier::of(41, last), Direction::out, Mode::any);
  EXPECT_EQ(engine.pages_read, 1U);
  const std::vector<VertexId> hub = {0};
  engine.round(wcc, Frontier::of(41, hub), Direction::out, Mode::any);
  EXPECT_EQ(engine.pages_read, 11U);
}

TEST(Binning, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyGraph g = path(40);
  BinningEngine engine(g, 2);
  Wcc wcc(g.view());
  engine.round(wcc, Frontier::all(g.view()), Direction::out, Mode::any);
  EXPECT_GT(engine.handed_over_early, 0U);
  for (VertexId v = 1; v < 40; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

TEST(Binning, SpendsNoSpaceOnVerticesThatListenNoMore) {
  const ToyGraph g = clique(9);
  BinningEngine engine(g, 2);
  BfsByRounds bfs(g.view(), 0);
  const std::vector<VertexId> source = {0};
  engine.converge(bfs, Frontier::of(9, source));
  constexpr std::size_t kRecord = sizeof(VertexId) + sizeof(Bfs::Message);
  EXPECT_EQ(engine.binned_bytes, 8 * kRecord) << "what the source said, and nothing of the echo";
}

}  // namespace
}  // namespace outcore::toys
