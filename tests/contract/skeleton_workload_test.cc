// SPDX-License-Identifier: Apache-2.0
/*
Kernel: in-degrees (indegree)
Returns: for each vertex, how many edges end there

Every vertex sends 1, once, and each vertex sums what arrives. One round; the order does not matter.
*/
#include "engines/vertex_program.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

struct Indegree : VertexProgram<Indegree, std::uint32_t> {
  State<std::uint32_t> heard;

  explicit Indegree(Engine& engine) : heard(engine.state<std::uint32_t>("heard")) {}

  Message emit(Source) { return 1; }
  Message combine(Message a, Message b) { return a + b; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    increase<A>(heard[v], m);
    return kQuiet;
  }
};

Finish run(Engine& engine, const Parameters&) {
  const Graph& graph = engine.graph();
  Indegree indegree(engine);
  engine.round(indegree, Frontier::all(graph), Direction::out, Mode::any);
  return [graph, heard = indegree.heard]() -> Answer {
    const std::uint32_t most = heard.empty() ? 0 : *std::max_element(heard.begin(), heard.end());
    return {.values = in_canonical_order(graph, heard), .summary = {{"most", most}}};
  };
}

// A count over the canonical lists, which the program never saw: each vertex has the number of its
// occurrences in all lists.
Verdict verify(const Canonical& canonical, const Answer& answer, const Parameters&) {
  std::vector<std::uint32_t> expected(canonical.out.vertices(), 0);
  for (const VertexId target : canonical.out.targets()) ++expected[target];
  return compare("a count of the targets", std::get<0>(answer.values), expected);
}

}  // namespace

Workload indegree_workload() {
  return {.name = "indegree",
          .help = "how many edges end at each vertex",
          .parameters = {},
          .repeats = "each counts",
          .sentence = "at most {#most edge} to one of {#vertices} vertices",
          .run = run,
          .verify = verify};
}

}  // namespace outcore

// A workload's file ends here. What is above is to be copied (workloads/README.md). It stands in a
// test, so that it is compiled and run on every engine without being offered to users.

#include <gtest/gtest.h>

#include "tests/readers.h"

namespace outcore {
namespace {

TEST(SkeletonWorkload, IsAnsweredByEveryEngineOnEveryShape) {
  const Workload workload = indegree_workload();
  const Parameters parameters(workload.name, workload.parameters, {});
  EngineOptions options;
  options.backend = "mem";
  for (const Shape& shape : all_shapes()) {
    for (const bool symmetric : {true, false}) {
      const ToyContainer toy(shape, symmetric);
      Container container(toy.folder());
      const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
      ToyLayouts layouts(toy);
      for (const EngineEntry& entry : engines()) {
        const auto engine = entry.make(layouts.of(entry, {}), options);
        const Answer answer = workload.run(*engine, parameters)();
        const Verdict verdict = workload.verify(canonical, answer, parameters);
        EXPECT_TRUE(verdict.passed) << shape.name << " " << entry.name << ": " << verdict.detail;
      }
    }
  }
}

TEST(SkeletonWorkload, HasAVerifierThatCatchesAWrongCount) {
  const std::vector<EdgeIndex> offsets = {0, 1, 2};
  const std::vector<VertexId> targets = {1, 1};
  const Canonical canonical{{offsets, targets}, {offsets, targets}};
  const auto passed = [&](std::vector<std::uint32_t> values) {
    return verify(canonical, {.values = std::move(values), .summary = {}}, {"indegree", {}, {}})
        .passed;
  };
  EXPECT_TRUE(passed({0, 2}));
  EXPECT_FALSE(passed({0, 1}));
  EXPECT_FALSE(passed({1, 1}));
}

}  // namespace
}  // namespace outcore
