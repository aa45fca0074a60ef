// SPDX-License-Identifier: Apache-2.0
// An engine of edges needs no change outside its own class: the one below, which only this test
// registers, is listed, refused, run and recorded like the engines that users see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/command_line.h"
#include "cli/suitable_layout.h"
#include "common/error.h"
#include "common/files.h"
#include "engines/engine_entry.h"
#include "engines/graph_of.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/edges/expect_same_edges.h"
#include "tests/readers.h"
#include "tests/toy_parameters.h"
#include "workloads/refusal_for_tests.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Holds all edges in the order of the cells; every round visits all of them.
class EdgeToy final : public Engine {
 public:
  using Reads = EdgeLayout;
  static constexpr EngineTraits kTraits = {.keeps_graph_in_memory = true, .traces = false};

  EdgeToy(const EdgeLayout& layout, const EngineOptions& /*options*/)
      : layout_(layout), graph_(graph_of(layout)), edges_(read_edges(layout)) {}

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override {
    f({0, graph_.id_space}, layout_.degrees(Direction::out));
  }
  void converge(Program& program, Frontier&& frontier) override {
    while (!frontier.empty()) {
      frontier = round(program, std::move(frontier), Direction::out, Mode::push);
    }
  }
  Frontier round(Program& program, Frontier&& frontier, Direction direction,
                 Mode /*mode*/) override {
    const std::span<const std::uint32_t> degrees = layout_.degrees(direction);
    const Traits traits = program.traits();
    std::vector<std::byte> memory(std::size_t{graph_.id_space} * traits.message_bytes);
    const Messages messages(memory.data(), traits.message_bytes);
    frontier.for_each([&](VertexId v) {
      const Source source{v, degrees[v]};
      program.begin({&source, 1}, messages.from(v));
    });
    Frontier next(graph_.id_space);
    Collector activated(next);
    std::vector<std::uint32_t> seen(graph_.id_space);
    for (const auto& [source, target] : edges_) {
      const bool out = direction == Direction::out;
      const VertexId v = out ? source : target;
      const VertexId u = out ? target : source;
      if (!frontier.contains(v)) continue;
      const Piece piece{.v = v,
                        .slot = v,
                        .first = seen[v]++,
                        .count = 1,
                        .degree = degrees[v],
                        .ids = &u,
                        .weights = nullptr};
      program.scatter({{&piece, 1}, Access::exclusive}, messages, activated);
    }
    if (traits.settles) program.settle({0, graph_.id_space}, activated);
    activated.drain();
    next.adopt({&activated, 1});
    report_.rounds.push_back({.frontier = frontier.size()});
    return next;
  }
  [[nodiscard]] EngineReport report() const override {
    EngineReport report = report_;
    report.backend = "mem";
    report.memory = {{"index", layout_.index_bytes()}};
    return report;
  }

 private:
  const EdgeLayout& layout_;
  Graph graph_;
  std::vector<std::pair<VertexId, VertexId>> edges_;
  EngineReport report_;
};

const EngineEntry& edge_toy() {
  static const bool added = [] {
    add_engine(engine_entry<EdgeToy>("edge-toy", "edges in memory, for tests"));
    return true;
  }();
  static_cast<void>(added);
  return find_engine("edge-toy");
}

std::string reading_refused(const EngineEntry& engine, const OpenedGraph& layout) {
  return refusal([&] { static_cast<void>(engine.make(layout, {})); });
}

TEST(EdgeEngine, AnswersEveryWorkloadOnGridsAndShards) {
  const ToyContainer toy(small_kronecker(8, 8, 1), true);
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const LayoutChoices& choices :
       {LayoutChoices{.pack = "grid"}, LayoutChoices{.number = "random", .pack = "psw"}}) {
    const auto layout = open_layout(toy.layout(choices));
    for (const Workload& workload : workloads()) {
      if (!can_run(edge_toy().traits, *layout, workload)) continue;
      const Parameters parameters = toy_parameters(workload);
      const auto engine = edge_toy().make(*layout, {});
      const Verdict verdict =
          workload.verify(canonical, workload.run(*engine, parameters)(), parameters);
      EXPECT_TRUE(verdict.passed) << choices.pack << " " << workload.name << verdict.detail;
    }
  }
}

TEST(EdgeEngine, IsRefusedOnListsAndEnginesOfListsOnEdges) {
  const ToyContainer toy(path(9), true);
  const auto lists = open_layout(toy.layout("csr"));
  const auto edges = open_layout(toy.layout("psw"));
  EXPECT_THAT(reading_refused(edge_toy(), *lists), HasSubstr("engine edge-toy reads edges, and"));
  EXPECT_THAT(
      reading_refused(edge_toy(), *lists),
      HasSubstr("holds lists of pack csr; for --layout grid build one with: outcore layout"));
  for (const EngineEntry* entry : readers_of({})) {
    EXPECT_THAT(reading_refused(*entry, *edges), HasSubstr("reads lists, and")) << entry->name;
    EXPECT_THAT(reading_refused(*entry, *edges),
                HasSubstr("holds edges of pack psw; for --layout firstfit build one"))
        << entry->name;
  }
  EngineEntry shards = edge_toy();
  shards.traits.pack = "psw";
  EXPECT_NE(shards.make(*edges, {}), nullptr);
  const auto grid = open_layout(toy.layout("grid"));
  EXPECT_THAT(reading_refused(shards, *grid), HasSubstr("use --layout psw"));
}

TEST(EdgeEngine, IsRefusedBeforeAnythingIsReadWhatItSaysItCannot) {
  const EngineEntry& engine = edge_toy();
  EXPECT_THAT(refusal([&] { check_engine_suits(engine, find_workload("dfs"), false); }),
              HasSubstr("edge-toy cannot run dfs: it does not offer drive"));
  EXPECT_THAT(refusal([&] { check_engine_suits(engine, find_workload("wcc-sample"), false); }),
              HasSubstr("does not offer heads"));
  EXPECT_THAT(refusal([&] { check_engine_suits(engine, find_workload("bfs"), true); }),
              HasSubstr("--trace: edge-toy does not know which blocks it reads"));
  check_engine_suits(engine, find_workload("bfs"), false);
}

void run_by_the_command_line() {
  edge_toy();
  const ToyContainer toy(small_kronecker(8, 8, 1), true);
  const EdgeLayout layout(toy.layout("grid"));
  const fs::path record = toy.folder() / "record.json";
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"outcore",    "run", toy.folder(), "--engine", "edge-toy",
                                      "--workload", "wcc", "--record",   record};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const int code = run_command_line(static_cast<int>(argv.size()), argv.data());
    std::fflush(stdout);
    testing::internal::GetCapturedStdout();
    return std::pair(code, testing::internal::GetCapturedStderr());
  };
  const auto [code, message] = run({"--layout", layout.folder().filename(), "--verify"});
  EXPECT_EQ(code, 0) << message;
  const nlohmann::json json = read_json(record);
  EXPECT_EQ(json.at("layout").at("checksum"),
            layout.manifest().at("files").at("sources.blocks").at("hash"));
  EXPECT_EQ(json.at("layout").at("bytes").at("index"), layout.index_bytes());
  EXPECT_TRUE(json.at("pool").at("in_memory").get<bool>());
  EXPECT_TRUE(json.at("answer").at("verified").at("passed").get<bool>());

  const fs::path lists = toy.layout("csr");
  const auto [refused, why] = run({"--layout", lists.filename()});
  EXPECT_EQ(refused, 2);
  EXPECT_THAT(why, HasSubstr("engine edge-toy reads edges"));
}

// In its own process: `run` forks, which is not allowed once OpenMP's threads have started.
TEST(EdgeEngineDeathTest, IsRunAndRecordedByTheCommandLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        run_by_the_command_line();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace outcore
