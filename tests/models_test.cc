// SPDX-License-Identifier: Apache-2.0
// Every workload on the toy engines of tests/prototypes, which stream edges and pull as no engine
// does yet. So what a workload promises for any order and for rounds is tested before the
// engines exist.
#include <gtest/gtest.h>

#include <functional>

#include "tests/prototypes/grid.h"
#include "tests/prototypes/psw.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

using toys::ToyGraph;

// One direction of a toy, as verifiers read it.
struct CanonicalLists {
  CanonicalLists(const ToyGraph& g, Direction direction) {
    toys::Lists lists(g.view().vertices);
    for (VertexId v = 0; v < g.id_space(); ++v) {
      for (const VertexId u : g.lists(direction)[v]) {
        lists[g.view().original(v)].push_back(g.view().original(u));
      }
    }
    offsets.push_back(0);
    for (auto& list : lists) {
      std::sort(list.begin(), list.end());
      targets.insert(targets.end(), list.begin(), list.end());
      offsets.push_back(targets.size());
    }
  }
  [[nodiscard]] CsrView view() const { return {offsets, targets}; }

  std::vector<EdgeIndex> offsets;
  std::vector<VertexId> targets;
};

struct Model {
  std::string name;
  std::function<std::unique_ptr<Engine>(const ToyGraph&)> make;
  bool backwards = true;  // may messages travel against the edges?
};
std::ostream& operator<<(std::ostream& out, const Model& model) { return out << model.name; }

std::vector<Model> models() {
  using namespace toys;  // NOLINT(google-build-using-namespace): they are named after the papers
  return {
      {"psw", [](const ToyGraph& g) { return std::make_unique<PswEngine>(g, 3); }, false},
      {"grid", [](const ToyGraph& g) { return std::make_unique<GridEngine>(g, 4); }},
  };
}

class Models : public ::testing::TestWithParam<Model> {};
INSTANTIATE_TEST_SUITE_P(Toys, Models, ::testing::ValuesIn(models()),
                         [](const auto& tested) { return tested.param.name; });

// Refusals that are expected: messages against the edges.
bool refused(const Model& model, const Workload& workload, const ToyGraph& g) {
  if (refused_on(workload, g.symmetric, g.view().edges)) return true;
  return workload.name == "bc" && !model.backwards;
}

TEST_P(Models, AnswerEveryWorkloadUnderAnyNumbering) {
  for (const ToyGraph& g : toys::every_shape()) {
    const CanonicalLists out(g, Direction::out);
    const CanonicalLists in(g, Direction::in);
    for (const Workload& workload : workloads()) {
      if (refused(GetParam(), workload, g)) continue;
      SCOPED_TRACE(testing::Message() << g.name << " " << workload.name);
      const Parameters parameters = toy_parameters(workload);
      const auto engine = GetParam().make(g);
      if (!missing(engine->traits(), workload).empty()) continue;
      const Answer answer = workload.run(*engine, parameters)();
      const Verdict verdict = workload.verify({out.view(), in.view()}, answer, parameters);
      EXPECT_TRUE(verdict.passed) << verdict.detail;
    }
  }
}

}  // namespace
}  // namespace outcore
