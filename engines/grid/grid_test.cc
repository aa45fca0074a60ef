// SPDX-License-Identifier: Apache-2.0
// What makes the grid engine GridGraph's model: by its trace, by what programs are given, and by
// what is skipped.
#include <set>

#include "engines/grid/grid_fixture.h"
#include "tests/contract/toys.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;

EngineOptions one_worker(const std::string& parameters = {}) {
  EngineOptions options = grid_options(parameters);
  options.threads = 1;
  return options;
}

TEST_F(Grid, StreamsColumnByColumnAndEachCellOnceARound) {
  const EdgeLayout layout = this->layout("grid:p=4");
  const std::vector<AskedCell> cells = trace(layout, "pagerank", one_worker());
  std::vector<AskedCell> expected;
  for (std::uint64_t round = 0; round < 10; ++round) {
    for (std::uint32_t column = 0; column < 4; ++column) {
      for (std::uint32_t row = 0; row < 4; ++row) {
        if (layout.cell(row, column).edges > 0) expected.push_back({round, row, column});
      }
    }
  }
  EXPECT_EQ(cells, expected);
}

TEST_F(Grid, StreamsGroupsOfCellsInTheOrderOfTheFile) {
  const EdgeLayout layout = this->layout("grid:p=6,groups=2");
  const std::vector<AskedCell> cells = trace(layout, "pagerank", one_worker());
  std::vector<AskedCell> expected;
  for (std::uint64_t round = 0; round < 10; ++round) {
    for_each_cell(6, 2, [&](std::uint32_t row, std::uint32_t column) {
      if (layout.cell(row, column).edges > 0) expected.push_back({round, row, column});
    });
  }
  EXPECT_EQ(cells, expected);
}

// A path: cells on the diagonal, and one on each side of it. The source's chunk alone is active.
TEST(GridOnAPath, DoesNotReadRowsWithoutAnActiveSource) {
  const ToyContainer toy(path(12), true);
  LayoutChoices choices;
  set_pack(choices, "grid:p=3");
  const EdgeLayout layout(toy.layout(choices));
  const auto engine = find_engine("grid").make(layout, one_worker());
  toys::Bfs bfs(engine->graph(), 0);
  const std::vector<VertexId> source = {0};
  engine->round(bfs, Frontier::of(12, source), Direction::out, Mode::push);
  const RoundReport round = engine->report().rounds.back();
  EXPECT_EQ(round.own.at("cells_read"), 2) << "(0, 0) and (0, 1)";
  EXPECT_EQ(round.own.at("cells_skipped"), 5);
  EXPECT_EQ(round.edges, layout.cell(0, 0).edges + layout.cell(0, 1).edges) << "streamed";
  EXPECT_EQ(round.own.at("edges_used"), 1) << "of vertex 0";
  EXPECT_EQ(round.requested_bytes, 4 * 4096U) << "two blocks of sources, two of targets";
}

TEST_F(Grid, SkippedRowsAreNotInTheTrace) {
  const EdgeLayout layout = this->layout("grid:p=16");
  const std::vector<AskedCell> all = trace(layout, "bfs", one_worker("selective=off"));
  const std::vector<AskedCell> selected = trace(layout, "bfs", one_worker());
  const auto rows = [](const std::vector<AskedCell>& cells, std::uint64_t round) {
    std::set<std::uint32_t> found;
    for (const AskedCell& cell : cells) {
      if (cell.round == round) found.insert(cell.row);
    }
    return found;
  };
  EXPECT_EQ(rows(selected, 0).size(), 1U) << "that of the source";
  EXPECT_GT(rows(all, 0).size(), 1U);
  EXPECT_LT(selected.size(), all.size());
}

TEST_F(GridDirected, GoesAgainstTheEdgesByItsTransposedCells) {
  const EdgeLayout layout = this->layout("grid:p=5");
  const auto engine = find_engine("grid").make(layout, one_worker());
  Container container(toy_.folder());
  const CsrView in = container.csr(Direction::in);
  VertexId hub = 0;
  for (VertexId v = 0; v < in.vertices(); ++v) {
    if (in.degree(v) > in.degree(hub)) hub = v;
  }
  toys::Bfs bfs(engine->graph(), hub);
  const std::vector<VertexId> source = {hub};
  const Frontier heard =
      engine->round(bfs, Frontier::of(in.vertices(), source), Direction::in, Mode::push);
  std::set<VertexId> expected(in.list(hub).begin(), in.list(hub).end());
  expected.erase(hub);
  std::set<VertexId> found;
  heard.for_each([&](VertexId v) { found.insert(v); });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(engine->report().rounds.back().own.at("edges_used"), in.degree(hub));
}

// The order of what a program is told: edges of a column, then settle of its destinations.

class Watch : public Program {
 public:
  Watch(Program& inner, const EdgeLayout& layout) : inner_(inner), layout_(layout) {}
  [[nodiscard]] Traits traits() const override {
    Traits traits = inner_.traits();
    traits.settles = true;
    return traits;
  }
  void begin(std::span<const Source> s, Messages out) override { inner_.begin(s, out); }
  void scatter(const AdjacencyBatch& b, Messages m, Activations& out) override {
    inner_.scatter(b, m, out);
  }
  void deliver(Combiner& c, Activations& out) override { inner_.deliver(c, out); }
  void listening(VertexRange r, Bitmap& out) override { inner_.listening(r, out); }
  bool listens(VertexId v) override { return inner_.listens(v); }
  void gather(const AdjacencyBatch& b, Messages d, const Bitmap* a, Activations& out) override {
    inner_.gather(b, d, a, out);
  }
  void edges(const EdgeRun& run, Messages d, const Bitmap* a, Activations& out) override {
    const std::uint32_t column = layout_.intervals().of(run.targets[0]);
    if (told.empty() || told.back() != static_cast<int>(column)) {
      told.push_back(static_cast<int>(column));
    }
    shared = shared || run.access == Access::shared;
    inner_.edges(run, d, a, out);
  }
  void bin(const AdjacencyBatch& b, Messages m, Bins& out) override { inner_.bin(b, m, out); }
  void bin_kept(Combiner& c, Bins& out) override { inner_.bin_kept(c, out); }
  void drain(const Records& r, Activations& out) override { inner_.drain(r, out); }
  void settle(VertexRange range, Activations& /*out*/) override {
    told.push_back(-1 - static_cast<int>(layout_.intervals().of(range.begin)));
  }

  std::vector<int> told;  // column; -1 - column: settled
  bool shared = false;

 private:
  Program& inner_;
  const EdgeLayout& layout_;
};

TEST_F(Grid, SettlesAColumnBeforeTheNextOneIsApplied) {
  const EdgeLayout layout = this->layout("grid:p=3");
  for (const std::string apply : {"column", "shared"}) {
    const auto engine = find_engine("grid").make(layout, one_worker("apply=" + apply));
    toys::Wcc wcc(engine->graph());
    Watch watch(wcc, layout);
    engine->round(watch, Frontier::all(engine->graph()), Direction::out, Mode::push);
    EXPECT_THAT(watch.told, ElementsAre(0, -1, 1, -2, 2, -3)) << apply;
    EXPECT_FALSE(watch.shared) << "one worker alone";
  }
}

TEST_F(Grid, SettlesEveryVertexOnceWhereColumnsAreEmptyOrSkipped) {
  const ToyContainer toy(star(40), false);  // all edges begin in the first chunk
  LayoutChoices choices;
  set_pack(choices, "grid:p=4");
  const EdgeLayout layout(toy.layout(choices));
  const auto engine = find_engine("grid").make(layout, one_worker());
  toys::Wcc wcc(engine->graph());
  Watch watch(wcc, layout);
  const std::vector<VertexId> leaf = {30};
  engine->round(watch, Frontier::of(engine->graph().id_space, leaf), Direction::out, Mode::push);
  std::sort(watch.told.begin(), watch.told.end());
  EXPECT_THAT(watch.told, ElementsAre(-4, -3, -2, -1));
}

TEST_F(Grid, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyContainer toy(path(12), true);
  LayoutChoices choices;
  set_pack(choices, "grid:p=3");
  const EdgeLayout layout(toy.layout(choices));
  const auto engine = find_engine("grid").make(layout, one_worker());
  toys::Wcc wcc(engine->graph());
  engine->round(wcc, Frontier::all(engine->graph()), Direction::out, Mode::push);
  for (VertexId v = 1; v < 12; ++v) EXPECT_EQ(wcc.label[v], v - 1);
}

// All programs on layouts of every form, some with far more intervals than blocks in flight.
class GridForms : public Grid, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Sweep, GridForms,
                         ::testing::Values("grid:p=1", "grid:p=61", "grid:p=12,groups=4",
                                           "grid:p=3,local=1", "grid:p=3,order=destination",
                                           "grid:p=12,groups=3,local=1,order=destination"));

TEST_P(GridForms, AnswerAllWorkloads) {
  Container container(toy_.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const char* weights : {"none", "hashed"}) {
    const EdgeLayout layout = this->layout(GetParam(), weights);
    for (const Workload& workload : workloads()) {
      if (!can_run(GridEngine::kTraits, layout, workload)) continue;
      for (const std::string apply : {"column", "shared"}) {
        SCOPED_TRACE(workload.name + " " + apply + " " + weights);
        EngineOptions options = grid_options("apply=" + apply);
        options.backend = "mem";
        const GridRun run = run_grid(layout, workload.name, options);
        const Verdict verdict = workload.verify(canonical, run.answer, toy_parameters(workload));
        EXPECT_TRUE(verdict.passed) << verdict.detail;
      }
    }
  }
}

}  // namespace
}  // namespace outcore
