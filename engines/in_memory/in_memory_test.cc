// SPDX-License-Identifier: Apache-2.0
// What makes the in-memory engine the reference for speed: convergence by priority, changing back
// to push, and its counters for both.
#include <gtest/gtest.h>

#include <numeric>

#include "engines/vertex_program.h"
#include "tests/toy_container.h"
#include "workloads/bfs_program.h"
#include "workloads/sources.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

EngineOptions in_memory_options(unsigned threads = 2) {
  EngineOptions options;
  options.threads = threads;
  options.backend = "mem";
  return options;
}

EngineReport report_of(const std::string& workload, const Layout& layout,
                       const EngineOptions& options) {
  const auto engine = find_engine("in_memory").make(layout, options);
  const Workload& entry = find_workload(workload);
  entry.run(*engine, Parameters(workload, entry.parameters, {}));
  return engine->report();
}

// Every vertex waits with its own priority and speaks once.
struct InTurn : VertexProgram<InTurn, std::uint32_t> {
  std::vector<Priority> spoken;  // serial: in the order of emit

  static Priority turn(VertexId v) { return static_cast<Priority>(mix(v) >> 40); }
  Priority priority(VertexId v) override { return turn(v); }
  Message emit(Source u) {
    spoken.push_back(turn(u.v));
    return 0;
  }
  template <Access A>
  Priority accept(VertexId, Message) {
    return kQuiet;
  }
};

TEST(InMemory, TakesVerticesInStepsByPriority) {
  const ToyContainer toy(cycle(100'000), true);
  const Layout layout(toy.layout("csr"));
  const auto engine = find_engine("in_memory").make(layout, in_memory_options(1));
  InTurn program;
  engine->converge(program, Frontier::all(engine->graph()));

  const EngineReport report = engine->report();
  EXPECT_EQ(report.visibility, Visibility::immediate);
  ASSERT_EQ(program.spoken.size(), 100'000U);
  ASSERT_GE(report.rounds.size(), 10U) << "a step takes about 5000 of them";
  std::size_t at = 0;
  Priority before = std::numeric_limits<Priority>::min();  // the last priority of the steps before
  for (const RoundReport& step : report.rounds) {
    const auto begin = program.spoken.begin() + static_cast<std::ptrdiff_t>(at);
    const auto [first, last] =
        std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(step.frontier));
    EXPECT_GT(*first, before) << "nobody is passed over";
    before = *last;
    at += step.frontier;
  }
}

// Shortest paths that may only run in rounds.
struct Distances : VertexProgram<Distances, float> {
  const Graph& graph;
  std::vector<float> distance;

  explicit Distances(const Graph& g)
      : graph(g), distance(g.id_space, std::numeric_limits<float>::infinity()) {}
  static constexpr Saying kSaying = Saying::changing;

  Message emit(Source u) { return peek(distance[u.v]); }
  Message along(Message m, VertexId u, VertexId v, float) { return m + graph.hashed_weight(u, v); }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(distance[v], m) ? Priority{0} : kQuiet;
  }
};

std::uint64_t edges_by_rounds(Engine& engine, VertexId source) {
  Distances distances(engine.graph());
  distances.distance[source] = 0;
  Frontier frontier = Frontier::of(engine.graph().id_space, {&source, 1});
  while (!frontier.empty()) {
    frontier = engine.round(distances, std::move(frontier), Direction::out, Mode::push);
  }
  return engine.report().edges_processed;
}

TEST(InMemory, FollowsFewerEdgesByPriorityThanByRounds) {
  const ToyContainer toy(small_kronecker(16, 16, 1), true);
  const Layout layout(toy.layout("csr"));
  const auto engine = find_engine("in_memory").make(layout, in_memory_options());
  const std::uint64_t by_rounds = edges_by_rounds(*engine, find_source(*engine, "max-degree"));
  const EngineReport report = report_of("sssp", layout, in_memory_options());
  EXPECT_EQ(report.visibility, Visibility::immediate);
  EXPECT_LT(report.edges_processed, by_rounds * 3 / 4);
  EXPECT_EQ(report_of("bfs", layout, in_memory_options()).visibility, Visibility::round);
  EXPECT_EQ(report_of("pagerank", layout, in_memory_options()).visibility, Visibility::round);
}

// A large clique with a tail: pulled while nearly all of it is being found, pushed along the tail.
TEST(InMemory, TurnsBackToPushingWhenFewAreLeft) {
  Shape shape = clique(300);
  for (VertexId v = 0; v < 20; ++v) shape.edges.emplace_back(299 + v, 300 + v);
  shape.vertices = 320;
  const ToyContainer toy(shape, true);
  const Layout layout(toy.layout("csr"));
  const auto engine = find_engine("in_memory").make(layout, in_memory_options());
  const VertexId source = 0;
  Bfs<std::uint32_t> bfs(engine->state("level", kNoLevel), source);
  engine->converge(bfs, Frontier::of(engine->graph().id_space, {&source, 1}));
  EXPECT_EQ(bfs.level[319], 21U);
  const std::vector<RoundReport> rounds = engine->report().rounds;
  ASSERT_GE(rounds.size(), 20U);
  EXPECT_FALSE(rounds[0].pull) << "a thousandth of the edges";
  EXPECT_TRUE(rounds[1].pull) << "299 of 320 vertices speak";
  for (std::size_t i = 3; i < rounds.size(); ++i) EXPECT_FALSE(rounds[i].pull) << i;
}

// Levels take one byte until one is too high, then two, then four. No vertex may be forgotten on
// the way, whichever round the search has reached.
TEST(InMemory, SearchesGoOnInWiderNumbers) {
  const auto search = [](const std::string& workload, VertexId vertices) {
    Shape path{.name = "path", .vertices = vertices, .edges = {}};
    for (VertexId v = 1; v < vertices; ++v) path.edges.emplace_back(v - 1, v);
    const ToyContainer toy(path, true);
    const Layout layout(toy.layout("csr"));
    const auto engine = find_engine("in_memory").make(layout, in_memory_options(1));
    const Workload& entry = find_workload(workload);
    const Answer answer =
        entry.run(*engine, Parameters(workload, entry.parameters, {"source=0"}))();
    return std::get<std::vector<std::uint32_t>>(answer.values);
  };
  std::vector<std::uint32_t> levels(65'800);
  std::iota(levels.begin(), levels.end(), 0);
  EXPECT_EQ(search("bfs", 65'800), levels);
  for (const VertexId vertices : {600, 257, 256, 255, 254}) {
    levels.resize(vertices);
    EXPECT_EQ(search("bfs", vertices), levels);
    EXPECT_EQ(search("bfs-do", vertices), levels);
  }
}

}  // namespace
}  // namespace outcore
