// SPDX-License-Identifier: Apache-2.0
// Sampling looks before it reads: wcc-sample never takes more edges or bytes than labels do, with
// one head of each vertex or with two, and takes as many heads as the sample asks for. By
// counts.
#include <fmt/format.h>

#include "engines/async_block/async_block_fixture.h"

namespace outcore {
namespace {

class AsyncSampling : public AsyncBlock {
 protected:
  struct Found {
    EngineReport report;
    nlohmann::json summary;
  };
  static Found run_on(const Layout& layout, const std::string& workload, const std::string& spec,
                      const std::vector<std::string>& set = {}) {
    const std::uint64_t blocks = layout.block_files()[0].blocks();
    EngineOptions options = pool(std::max<std::uint64_t>(blocks / 8, 8), spec);
    options.backend = "mem";
    const auto engine = find_engine("async_block").make(layout, options);
    const Workload& entry = find_workload(workload);
    const Answer answer = entry.run(*engine, Parameters(workload, entry.parameters, set))();
    return {engine->report(), answer.summary};
  }
  static Layout with_heads(const ToyContainer& toy) {
    LayoutChoices choices = layout_preset("acgraph");
    choices.heads = 2;
    return Layout(toy.layout(choices));
  }
};

// Every edge at random: with one head each, which are the least ids, no component has more than
// a few vertices.
Shape random_edges(VertexId vertices, unsigned degree) {
  Shape shape{fmt::format("random_edges_{}_{}", vertices, degree), vertices, {}};
  for (std::uint64_t i = 0; i < std::uint64_t{vertices} * degree / 2; ++i) {
    shape.edges.emplace_back(mix(2 * i) % vertices, mix(2 * i + 1) % vertices);
  }
  return shape;
}

TEST_F(AsyncSampling, NeverTakesMoreThanLabels) {
  constexpr double kMost = 1.05;
  for (const Shape& shape : {random_edges(70'000, 8), small_kronecker(12, 16, 1),
                             small_kronecker(12, 16, 77), small_kronecker(13, 4, 5), grid(60, 60),
                             comb(20, 49), path(3000), star(5000), clique(60), disconnected()}) {
    const ToyContainer toy(shape, true);
    const Layout layout = with_heads(toy);
    const EngineReport labels = run_on(layout, "wcc", "async_block").report;
    for (const char* heads : {"heads=1", "heads=2"}) {
      SCOPED_TRACE(fmt::format("{}, {}", shape.name, heads));
      const EngineReport sampled = run_on(layout, "wcc-sample", "async_block", {heads}).report;
      EXPECT_LE(static_cast<double>(sampled.edges_processed),
                kMost * static_cast<double>(labels.edges_processed));
      EXPECT_LE(static_cast<double>(sampled.io.requested_bytes),
                kMost * static_cast<double>(labels.io.requested_bytes));
    }
  }
}

// Without looking again every list was read.
TEST_F(AsyncSampling, StopsReadingOnceAComponentSpansTheGraph) {
  const ToyContainer toy(random_edges(70'000, 8), true);
  const Layout layout = with_heads(toy);
  const Found found = run_on(layout, "wcc-sample", "async_block", {"heads=1"});
  EXPECT_LE(found.report.edges_processed, layout.facts().edges / 2);
}

TEST_F(AsyncSampling, TakesAsManyHeadsAsTheSampleAsksFor) {
  const auto heads = [](const Shape& shape) {
    const ToyContainer toy(shape, true);
    return run_on(with_heads(toy), "wcc-sample", "async_block").summary.at("heads").get<int>();
  };
  EXPECT_EQ(heads(star(5000)), 1);
  EXPECT_EQ(heads(random_edges(70'000, 8)), 2);
}

}  // namespace
}  // namespace outcore
