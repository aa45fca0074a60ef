// SPDX-License-Identifier: Apache-2.0
#include "cli/store_plan.h"

#include <filesystem>
#include <string>
#include <utility>

#include "common/machine.h"
#include "storage/evolving/opened_store.h"
#include "storage/evolving/stored_lists.h"

namespace outcore {

StorePlan plan_store(const RunRequest& request) {
  const std::uint64_t program = resident_bytes();
  const Workload& workload = find_workload(request.workload);
  const Parameters parameters(workload.name, workload.parameters, request.assignments);
  const evolving::OpenedStore store(evolving::open_stored_lists(request.graph, request.prefix));
  StorePlan plan;
  plan.facts.name = std::filesystem::absolute(request.graph / "").parent_path().filename();
  plan.facts.vertices = store.facts().vertices;
  plan.facts.edges = store.facts().edges;
  for (const std::string medium : {"medium=ssd", "medium=dram"}) {
    EngineOptions options = request.options;
    options.settings = engine_settings("evolving:" + medium);
    const EngineEntry engine = find_engine("evolving").with(options.settings);
    options.depth = engine.depth;
    PlannedRun run{engine.name, medium, {}, {}};
    if (workload.needs_symmetric) {
      run.verdict = "edges of a store have a direction; lists=symmetric has each at both ends";
    } else if (const std::string lacks = missing(engine.traits, workload, false); !lacks.empty()) {
      run.verdict = "does not offer " + lacks;
    } else {
      run.plan = plan_memory(engine, store, options, workload, parameters);
      run.plan->program = program;
      run.verdict = verdict_on(*run.plan, request.memory_bytes);
    }
    plan.runs.push_back(std::move(run));
  }
  return plan;
}

}  // namespace outcore
