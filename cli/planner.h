// SPDX-License-Identifier: Apache-2.0
// What runs will have in memory (memory_plan.h), for each engine on each layout that suits, or for
// one run before it starts.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/memory_plan.h"
#include "cli/run_record.h"
#include "storage/container/container.h"

namespace outcore {

// One engine on one layout, or why there is nothing to say of it.
struct PlannedRun {
  std::string engine;
  std::string layout;
  std::optional<MemoryPlan> plan;
  std::string verdict;  // against the limit, if there is one; without a plan, why
};

// What is said of a plan against a limit of memory; empty without one.
std::string verdict_on(const MemoryPlan& plan, std::optional<std::uint64_t> limit);

class Planner {
 public:
  // Of the request's graph, workload, parameters, limit and threads. Builds engines, which may
  // start threads.
  explicit Planner(RunRequest request);

  [[nodiscard]] std::vector<PlannedRun> runs();
  [[nodiscard]] const GraphFacts& facts() const { return container_.facts(); }

 private:
  [[nodiscard]] std::string missing_layout(const EngineEntry& engine);
  [[nodiscard]] PlannedRun planned(const EngineEntry& engine, const std::string& layout);

  RunRequest request_;
  Container container_;
  const Workload& workload_;
  std::uint64_t program_;  // before engines leave anything behind
};

// {"engine", "layout", "verdict"}, and with a plan "bytes" and "parts".
nlohmann::json run_json(const PlannedRun& run);

// On stderr, before a run that prepare() has passed: what it will need, and whether that fits. In a
// process of its own, so that the run itself finds nothing changed but the page cache, which it
// empties. Nothing where the plan fails: the run will say why.
void tell_plan(const RunRequest& request);

// The smallest frames with which the request's engine can work, if `frames` are too small for it.
// Nothing if they are not, or if something else is wrong with the request. Worked out aside.
std::optional<std::uint64_t> larger_frames(const RunRequest& request, const std::string& frames);

// Runs of the same workload that fit into the request's limit, each with what it needs, but for the
// one that was asked for: "async_block on acgraph (20.1 MiB)". Worked out aside.
std::vector<std::string> runs_that_fit(const RunRequest& request);

}  // namespace outcore
