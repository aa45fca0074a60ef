// SPDX-License-Identifier: Apache-2.0
// Every workload on every engine with its arrays in files: the answers are the same, and no array
// is in memory.
#include <gtest/gtest.h>

#include "tests/readers.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

TEST(StateFiles, HoldAllArraysAndChangeNoAnswer) {
  const ToyContainer toy(small_kronecker(9, 8, 5), true);
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  ToyLayouts layouts(toy);
  for (const EngineEntry& entry : engines()) {
    const OpenedGraph& layout = layouts.of(entry, {.heads = 2});
    for (const Workload& workload : workloads()) {
      EngineOptions options;
      options.backend = "mem";
      options.states =
          std::make_shared<StateStore>(StateFiles{.folder = toy.folder()}, std::function<void()>());
      const auto engine = entry.make(layout, options);
      if (!can_run(entry.traits, layout, workload)) continue;
      const Parameters parameters = toy_parameters(workload);
      const Answer answer = workload.run(*engine, parameters)();
      const Verdict verdict = workload.verify(canonical, answer, parameters);
      EXPECT_TRUE(verdict.passed) << entry.name << " " << workload.name << ": " << verdict.detail;
      EXPECT_TRUE(options.states->in_memory().empty()) << entry.name << " " << workload.name;
      EXPECT_FALSE(options.states->in_files().empty()) << entry.name << " " << workload.name;
    }
  }
}

}  // namespace
}  // namespace outcore
