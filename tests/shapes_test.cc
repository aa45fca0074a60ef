// SPDX-License-Identifier: Apache-2.0
// No engine works in vain: on every shape of graph, of about 10^4 edges, each engine is handed at
// most kMost times the edges of the engine that is handed the fewest, or of a tenth of the graph,
// but for what known_work_in_vain.h names. Counted by one thread without a device, so that a count
// is the same in every run. docs/shapes.md has the larger sizes, and times.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tests/known_work_in_vain.h"
#include "tests/readers.h"
#include "tests/sanitized.h"
#include "tests/toy_parameters.h"
#include "workloads/graphs/generate.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

constexpr double kMost = 10;

struct TestedShape {
  std::string name;
  std::function<void(const std::filesystem::path&)> make;
};

template <typename Make, typename Options>
TestedShape shape_of(std::string name, const Make& make, const Options& options) {
  return {std::move(name),
          [make, options](const std::filesystem::path& folder) { make(options, folder, 1, true); }};
}

// Ids lie at random where a shape has an order of its own, so that no engine lives on it; paths and
// combs have both.
std::vector<TestedShape> tested_kinds() {
  constexpr IdOrder kRandom = IdOrder::random;
  return {
      shape_of("path", generate_comb, CombOptions{.spine = 5001, .tooth = 0}),
      shape_of("path_random", generate_comb,
               CombOptions{.spine = 5001, .tooth = 0, .ids = kRandom}),
      shape_of("comb", generate_comb, CombOptions{.spine = 71, .tooth = 70}),
      shape_of("comb_random", generate_comb, CombOptions{.spine = 71, .tooth = 70, .ids = kRandom}),
      shape_of("ladder", generate_grid, GridOptions{.rows = 1667, .columns = 2, .ids = kRandom}),
      shape_of("band", generate_band, BandOptions{.vertices = 630, .ids = kRandom}),
      shape_of("tree", generate_tree, TreeOptions{.vertices = 5001, .ids = kRandom}),
      shape_of("star", generate_tree, TreeOptions{.vertices = 5001, .children = 5000}),
      shape_of("clique_chain", generate_cliques,
               CliquesOptions{.cliques = 41, .chain = true, .ids = kRandom}),
      shape_of("cliques", generate_cliques,
               CliquesOptions{.cliques = 500, .size = 5, .ids = kRandom}),
      shape_of("uniform", generate_uniform, UniformOptions{.vertices = 313, .symmetric = true}),
      shape_of("kronecker", generate_kronecker, KroneckerOptions{.scale = 9, .symmetric = true}),
      shape_of("kronecker_sparse", generate_kronecker,
               KroneckerOptions{.scale = 11, .degree = 4, .symmetric = true}),
      shape_of("grid", generate_grid, GridOptions{.rows = 50, .columns = 50, .ids = kRandom}),
      shape_of("torus", generate_grid,
               GridOptions{.rows = 50, .columns = 50, .torus = true, .ids = kRandom}),
      shape_of("geometric", generate_geometric, GeometricOptions{.vertices = 650, .ids = kRandom}),
      shape_of("hostweb", generate_hostweb, HostWebOptions{.vertices = 600, .symmetric = true}),
      shape_of("small_world", generate_small_world,
               SmallWorldOptions{.vertices = 625, .ids = kRandom}),
      shape_of("bipartite", generate_bipartite,
               BipartiteOptions{.left = 1250, .right = 312, .degree = 4, .symmetric = true}),
      shape_of("islands", generate_islands, IslandsOptions{.vertices = 500, .islands = 1000}),
  };
}

// The edges of a generated graph, each once, as a shape of toys.
Shape as_toy(const TestedShape& tested) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("shapes_test-{}", ::getpid());
  tested.make(folder);
  Shape shape{tested.name, 0, {}};
  {
    Container container(folder);
    const CsrView csr = container.csr(Direction::out);
    shape.vertices = static_cast<VertexId>(csr.vertices());
    for (VertexId v = 0; v < shape.vertices; ++v) {
      for (const VertexId u : csr.list(v)) {
        if (v < u) shape.edges.emplace_back(v, u);
      }
    }
  }
  std::filesystem::remove_all(folder);
  return shape;
}

// The device that is guessed where none was probed, a thousand times slower, so that no engine's
// choice hangs on how quick the processor happens to be.
DeviceRates slow_device() {
  constexpr RequestCost kSlow = {.us = 1000 * kMeasuredCost.us,
                                 .us_per_kb = 1000 * kMeasuredCost.us_per_kb};
  return {.source = "a test",
          .random_mb_per_s = 4096 / (kSlow.us + 4 * kSlow.us_per_kb),
          .sequential_mb_per_s = 1024 / kSlow.us_per_kb,
          .write_mb_per_s = 1024 / kSlow.us_per_kb,
          .request = kSlow,
          .in_order = kSlow};
}

// The edges that each engine was handed for a workload with these parameters.
std::map<std::string, std::uint64_t> edges_by_engine(const Workload& workload,
                                                     const Parameters& parameters,
                                                     ToyLayouts& layouts) {
  std::map<std::string, std::uint64_t> edges;
  for (const EngineEntry& entry : engines()) {
    const OpenedGraph& graph = layouts.of(entry, {.heads = 2});
    if (!can_run(entry.traits, graph, workload)) continue;
    EngineOptions options;
    options.threads = 1;
    options.backend = "mem";
    options.rates = slow_device();
    const auto engine = entry.make(graph, options);
    workload.run(*engine, parameters)();
    edges[entry.name] = engine->report().edges_processed;
  }
  return edges;
}

// The entry that names the cell; null if none does.
const KnownWorkInVain::OnShape* known(const std::vector<KnownWorkInVain>& all,
                                      const std::string& engine, const std::string& workload,
                                      const std::string& shape) {
  for (const KnownWorkInVain& entry : all) {
    if (entry.engine != engine || entry.workload != workload) continue;
    for (const KnownWorkInVain::OnShape& on : entry.shapes) {
      if (on.shape == shape) return &on;
    }
  }
  return nullptr;
}

// What is wrong with the counts of a workload on a shape.
std::vector<std::string> faults_of(const Workload& workload, ToyLayouts& layouts,
                                   const TestedShape& tested, std::uint64_t shape_edges) {
  static const std::vector<KnownWorkInVain> all = known_work_in_vain();
  const auto edges = edges_by_engine(workload, toy_parameters(workload), layouts);
  // To hand over each edge once is never in vain: hence a tenth of both directions.
  double best = 2.0 * static_cast<double>(shape_edges) / kMost;
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto fewest = std::min_element(edges.begin(), edges.end(), fewer);
  best = std::max(best, static_cast<double>(fewest->second));
  std::vector<std::string> faults;
  for (const auto& [engine, count] : edges) {
    const double times = static_cast<double>(count) / best;
    const auto* allowed = known(all, engine, workload.name, tested.name);
    const double most = allowed == nullptr ? kMost : allowed->most;
    const std::string cell = fmt::format(
        "{} with {} on {}: {} edges, {:.1f} times the {:.0f} that {} needs, at most {:.0f} allowed",
        engine, workload.name, tested.name, count, times, best, fewest->first, most);
    if (times > most) faults.push_back(cell);
    if (allowed != nullptr && times <= kMost)
      faults.push_back(cell + ": take the shape out of known_work_in_vain.h");
  }
  return faults;
}

class WorkInVain : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Shapes, WorkInVain,
                         ::testing::Range(std::size_t{0}, tested_kinds().size()),
                         [](const auto& chosen) { return tested_kinds()[chosen.param].name; });

TEST_P(WorkInVain, IsAtMostTenTimesWhatTheBestEngineNeeds) {
  if (kSanitized) GTEST_SKIP() << "counts are the same there, and the matrix runs all of it";
  const TestedShape tested = tested_kinds()[GetParam()];
  const Shape shape = as_toy(tested);
  const ToyContainer toy(shape, true);
  ToyLayouts layouts(toy);
  for (const Workload& workload : workloads()) {
    // Counts came out above their limits once while another test program ran. They did not change
    // under load, in a process that was stopped again and again, or with memory that was filled
    // with other bytes. So a fault is one that is found three times, and one that goes is told.
    std::vector<std::string> faults;
    for (int attempt = 0; attempt < 3; ++attempt) {
      faults = faults_of(workload, layouts, tested, shape.edges.size());
      if (faults.empty()) break;
      fmt::print("attempt {}:\n{}\n", attempt, fmt::join(faults, "\n"));
    }
    EXPECT_THAT(faults, ::testing::IsEmpty());
  }
}

// Sampling looks first: no engine is handed more edges for it than for labels, however few
// neighbours of each vertex the sample may have.
TEST_P(WorkInVain, SamplingComponentsTakesNoMoreThanLabels) {
  if (kSanitized) GTEST_SKIP() << "counts are the same there, and the matrix runs all of it";
  constexpr double kMostOfLabels = 1.05;
  const ToyContainer toy(as_toy(tested_kinds()[GetParam()]), true);
  ToyLayouts layouts(toy);
  const Workload& labels = find_workload("wcc");
  const Workload& sampling = find_workload("wcc-sample");
  const auto by_labels = edges_by_engine(labels, toy_parameters(labels), layouts);
  for (const char* heads : {"heads=1", "heads=2"}) {
    const Parameters parameters = toy_parameters(sampling, {heads});
    for (const auto& [engine, edges] : edges_by_engine(sampling, parameters, layouts)) {
      EXPECT_LE(static_cast<double>(edges),
                kMostOfLabels * static_cast<double>(by_labels.at(engine)))
          << engine << ", " << heads;
    }
  }
}

// An entry of a shape, engine or workload that is not there would be kept for ever.
TEST(KnownWorkInVain, NamesWhatIsThere) {
  const std::vector<TestedShape> kinds = tested_kinds();
  for (const KnownWorkInVain& entry : known_work_in_vain()) {
    EXPECT_NO_THROW(find_engine(entry.engine));
    EXPECT_NO_THROW(find_workload(entry.workload));
    EXPECT_FALSE(entry.reason.empty());
    for (const auto& [shape, most] : entry.shapes) {
      EXPECT_GT(most, kMost);
      EXPECT_TRUE(std::any_of(kinds.begin(), kinds.end(), [&](const TestedShape& kind) {
        return kind.name == shape;
      })) << shape;
    }
  }
}

}  // namespace
}  // namespace outcore
