// SPDX-License-Identifier: Apache-2.0
// Dependent lists (Engine::drive) and heads, on every engine that has them: what the contract
// promises about a task's pieces, what is not read, and the counters that knobs move.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>

#include "common/error.h"
#include "tests/readers.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

EngineOptions drive_options() {
  EngineOptions options;
  options.frames_bytes = std::uint64_t{32} * 65536;
  options.depth = 16;
  return options;
}

std::vector<LayoutChoices> drive_layouts() {
  return {{.pack = "csr"},
          layout_preset("acgraph"),
          layout_preset("losc"),
          {.number = "random", .pack = "firstfit", .codec = "svb", .block_bytes = 16384}};
}

// Wants the middle half of every list, and records what it gets.
class MiddleHalves : public TaskProgram {
 public:
  ListRange wants(const Task&, std::uint32_t degree) override {
    return {degree / 4, degree - degree / 4};
  }
  void step(const Task& task, const Piece& piece, TaskStack&) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(piece.v, task.v);
    Given& given = given_[task.v];
    ++given.pieces;
    if (piece.count == 0) return;
    EXPECT_EQ(piece.first, piece.degree / 4 + given.ids.size()) << "in order, from where wanted";
    given.ids.insert(given.ids.end(), piece.ids, piece.ids + piece.count);
  }
  struct Given {
    int pieces = 0;
    std::vector<VertexId> ids;
  };
  std::map<VertexId, Given> given_;

 private:
  std::mutex mutex_;
};

TEST(Drive, GivesEachTaskThePartOfTheListThatItWantsInOrder) {
  const ToyContainer toy(hub(5000), true);
  Container container(toy.folder());
  const CsrView lists = container.csr(Direction::out);
  for (const LayoutChoices& choices : drive_layouts()) {
    const Layout layout(toy.layout(choices));
    for (const EngineEntry* entry : readers_of(choices)) {
      if (!entry->traits.drive) continue;
      SCOPED_TRACE(layout_name(choices) + " " + entry->name);
      const auto engine = entry->make(layout, drive_options());
      const Graph& graph = engine->graph();
      std::vector<Task> tasks;
      for (VertexId v = 0; v < graph.id_space; ++v) {
        if (graph.is_real(v)) tasks.push_back({.v = v});
      }
      MiddleHalves program;
      engine->drive(program, tasks, Direction::out);
      ASSERT_EQ(program.given_.size(), tasks.size()) << "at least one piece each, an empty one too";
      for (const auto& [v, given] : program.given_) {
        const std::size_t degree = lists.list(graph.original(v)).size();
        EXPECT_EQ(given.ids.size(), degree - 2 * (degree / 4)) << "vertex " << v;
        std::set<VertexId> canonical;
        for (const VertexId u : given.ids) canonical.insert(graph.original(u));
        for (const VertexId u : canonical) {
          EXPECT_TRUE(std::binary_search(lists.list(graph.original(v)).begin(),
                                         lists.list(graph.original(v)).end(), u));
        }
      }
      EXPECT_EQ(engine->report().vertices_processed, tasks.size());
    }
  }
}

EngineReport report_of(const Layout& layout, const EngineOptions& options,
                       const std::string& workload, const std::vector<std::string>& set,
                       const std::string& engine_name = "concurrent") {
  const auto engine = find_engine(engine_name).make(layout, options);
  const Workload& entry = find_workload(workload);
  entry.run(*engine, Parameters(workload, entry.parameters, set));
  return engine->report();
}

// The hub's list is in five blocks; a step needs one of its edges.
TEST(Drive, AWalkerReadsABlockOfAHubAndNotTheWholeList) {
  const ToyContainer toy(hub(5000), true);
  EngineOptions single = drive_options();
  single.max_request_bytes = 4096;
  single.settings = engine_settings("concurrent:cache=frames");
  const std::vector<std::string> set = {"walkers=50", "steps=8"};
  const EngineReport ranked =
      report_of(Layout(toy.layout(LayoutChoices{.pack = "csr"})), single, "random-walk", set);
  EXPECT_LE(ranked.io.requests, ranked.vertices_processed);
  EXPECT_LE(ranked.edges_processed, ranked.vertices_processed);
  const EngineReport whole =
      report_of(Layout(toy.layout(LayoutChoices{.number = "random", .pack = "csr"})), single,
                "random-walk", set);
  EXPECT_EQ(whole.vertices_processed, ranked.vertices_processed) << "the same walks";
  EXPECT_GT(whole.io.requests, 2 * ranked.io.requests);
}

// A search down a path, and chains of whole lists, which begin 1,024 times at most.
TEST(Drive, AListInTheBlockOfTheOneBeforeIsNotReadAgain) {
  const VertexId vertices = 50'000;
  const ToyContainer toy(path(vertices), true);
  const Layout layout(toy.layout(LayoutChoices{.pack = "csr"}));
  const std::uint64_t blocks = 2 * vertices * sizeof(VertexId) / 4096 + 1;
  for (const char* engine : {"concurrent", "async_block"}) {
    const EngineReport search = report_of(layout, drive_options(), "dfs", {}, engine);
    EXPECT_LE(search.io.requests, 2 * blocks) << engine;
    const EngineReport votes = report_of(layout, drive_options(), "cdlp", {"iterations=1"}, engine);
    EXPECT_LE(votes.io.requests, 2 * blocks + 1024) << engine;
  }
}

TEST(Drive, SplitsStacksBeyondTheThresholdAndNotBelow) {
  const ToyContainer toy(small_kronecker(10, 8, 1), true);
  const Layout layout(toy.layout("csr"));
  EXPECT_GT(report_of(layout, drive_options(), "dfs", {"stack=4"}).counts.at("stack_splits"), 0U);
  EXPECT_EQ(report_of(layout, drive_options(), "dfs", {"stack=1000000"}).counts.at("stack_splits"),
            0U);
  EngineOptions one = drive_options();
  one.threads = 1;
  one.depth = 1;  // k_r: no second stack may be alive
  EXPECT_EQ(report_of(layout, one, "dfs", {"stack=4"}).counts.at("stack_splits"), 0U);
}

TEST(Drive, ASearchForAVertexStopsWhenItIsFound) {
  const ToyContainer toy(path(3000), true);
  const Layout layout(toy.layout("csr"));
  for (const EngineEntry* entry : readers_of(layout.choices())) {
    if (!entry->traits.drive) continue;
    const auto engine = entry->make(layout, drive_options());
    const Workload& dfs = find_workload("dfs");
    const Answer answer =
        dfs.run(*engine, Parameters("dfs", dfs.parameters, {"source=0", "target=1000"}))();
    EXPECT_TRUE(answer.summary.at("found").get<bool>());
    EXPECT_EQ(answer.summary.at("visited"), 1001);
    EXPECT_EQ(engine->report().vertices_processed, 1000U);
  }
}

TEST(Drive, AnErrorOfTheDeviceComesOutAndNobodyHangs) {
  const ToyContainer toy(small_kronecker(10, 8, 1), true);
  const Layout layout(toy.layout("csr"));
  EngineOptions faulty = drive_options();
  faulty.backend = "fault";
  faulty.fault_plan = "eio@3";
  EXPECT_THROW(report_of(layout, faulty, "dfs", {"stack=4"}), Error);
  EXPECT_THROW(report_of(layout, faulty, "random-walk", {}), Error);
}

TEST(Heads, AreTheBeginningsOfTheLists) {
  const ToyContainer toy(small_kronecker(9, 8, 1), true);
  Container container(toy.folder());
  const CsrView lists = container.csr(Direction::out);
  const Layout layout(toy.layout(LayoutChoices{.pack = "firstfit", .heads = 3}));
  for (const EngineEntry* entry : readers_of(layout.choices())) {
    if (entry->traits.heads == Heads::none) continue;
    SCOPED_TRACE(entry->name);
    const auto engine = entry->make(layout, drive_options());
    std::vector<std::vector<VertexId>> heads(lists.vertices());
    engine->heads(2, [&](VertexId v, std::span<const VertexId> first) {
      heads[v].assign(first.begin(), first.end());
    });
    for (VertexId v = 0; v < lists.vertices(); ++v) {
      const auto list = lists.list(v).first(std::min<std::size_t>(2, lists.list(v).size()));
      EXPECT_EQ(heads[v], std::vector<VertexId>(list.begin(), list.end())) << "vertex " << v;
    }
    if (entry->traits.heads == Heads::any) continue;
    EXPECT_THROW(engine->heads(4, [](VertexId, std::span<const VertexId>) {}), Error);
  }
}

// After the sample, nearly all lists belong to one component and are not read.
TEST(Heads, SamplingReadsAFractionOfWhatLabelPropagationReads) {
  const ToyContainer toy(small_kronecker(12, 16, 1), true);
  const Layout layout(toy.layout(LayoutChoices{.pack = "firstfit", .heads = 2}));
  const EngineReport sampled = report_of(layout, drive_options(), "wcc-sample", {});
  const EngineReport labels = report_of(layout, drive_options(), "wcc", {});
  EXPECT_LT(sampled.edges_processed * 20, labels.edges_processed);
  EXPECT_LT(sampled.io.requested_bytes * 4, labels.io.requested_bytes);
}

// A hub whose list is in many blocks has heard enough from the first one; blocks that have not been
// requested yet are not read.
TEST(BfsDo, PullCancelsBlocksOfVerticesThatHaveHeardEnough) {
  const ToyContainer toy(hub(100000), true);
  const Layout layout(toy.layout("csr"));
  EngineOptions narrow = drive_options();
  narrow.threads = 1;
  narrow.depth = 1;
  narrow.max_request_bytes = 4096;
  const EngineReport report = report_of(
      layout, narrow, "bfs-do", {"source=1", "alpha=1000000000", "beta=1000000000", "turn=edges"});
  ASSERT_TRUE(report.rounds.front().pull);
  // All vertices except the source listen at first, and their lists are in all blocks.
  const std::uint64_t wanted = layout.block_files()[0].blocks();
  EXPECT_LT(report.rounds.front().requests + 50, wanted);
  EXPECT_LT(report.rounds.front().blocks + 50, wanted);
}

// By degree the first neighbours are hubs, and nearly all who listen hear from one of them.
TEST(BfsDo, PullHearsNeighboursFromMemoryFirst) {
  const ToyContainer toy(small_kronecker(12, 16, 1), true);
  const auto searched = [&](unsigned heads, const std::string& turn) {
    const Layout layout(
        toy.layout(LayoutChoices{.number = "degree", .pack = "csr", .heads = heads}));
    return report_of(layout, drive_options(), "bfs-do", {"source=max-degree", "turn=" + turn});
  };
  const EngineReport read = searched(0, "edges");
  const EngineReport heard = searched(2, "edges");
  EXPECT_LT(2 * heard.io.requested_bytes, read.io.requested_bytes);
  // What is heard so is not counted as asked for when directions are compared.
  EXPECT_LE(searched(2, "bytes").io.requested_bytes, heard.io.requested_bytes);
}

// A fourteenth of all edges leaves the vertices of the second level, so by edges the third round
// pulls. But their lists are in nearly all blocks, and those of all others are in all.
TEST(BfsDo, PullsOnlyWhereThatAsksForFewerBytes) {
  constexpr VertexId kVertices = 8192;
  Shape shape{"uniform", kVertices, {}};
  for (VertexId v = 0; v < kVertices; ++v) {
    for (std::uint64_t i = 0; i < 12; ++i)
      shape.edges.emplace_back(v, static_cast<VertexId>(mix(12 * v + i) % kVertices));
  }
  const ToyContainer toy(shape, true);
  const Layout layout(toy.layout("csr"));
  const auto searched = [&](const std::string& turn) {
    return report_of(layout, drive_options(), "bfs-do", {"source=0", "turn=" + turn});
  };
  const EngineReport by_edges = searched("edges");
  const EngineReport by_bytes = searched("bytes");
  EXPECT_LT(by_bytes.edges_processed, by_edges.edges_processed / 2);
  EXPECT_LT(by_bytes.io.requested_bytes, by_edges.io.requested_bytes);
}

}  // namespace
}  // namespace outcore
