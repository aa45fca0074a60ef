// SPDX-License-Identifier: Apache-2.0
#include "cli/store_plan.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "common/machine.h"
#include "storage/evolving/load_store.h"
#include "storage/evolving/opened_store.h"
#include "storage/evolving/pmem_store.h"
#include "storage/evolving/store_spec.h"
#include "storage/evolving/stored_lists.h"

namespace outcore {

namespace {

std::unique_ptr<evolving::OpenedStore> open_where_it_lies(const RunRequest& request, bool in_pmem) {
  if (!in_pmem) {
    return std::make_unique<evolving::OpenedStore>(
        evolving::open_stored_lists(request.graph, request.prefix));
  }
  return evolving::load_store(request.graph,
                              {.spec = evolving::parse_store_spec("evolving:medium=pmem"),
                               .threads = request.options.threads,
                               .prefix = request.prefix})
      .graph;
}

}  // namespace

StorePlan plan_store(const RunRequest& request) {
  const std::uint64_t program = resident_bytes();
  const Workload& workload = find_workload(request.workload);
  const Parameters parameters(workload.name, workload.parameters, request.assignments);
  const bool in_pmem = evolving::is_pmem_store(request.graph);
  const std::unique_ptr<evolving::OpenedStore> opened = open_where_it_lies(request, in_pmem);
  const evolving::OpenedStore& store = *opened;
  StorePlan plan;
  plan.facts.name = std::filesystem::absolute(request.graph / "").parent_path().filename();
  plan.facts.vertices = store.facts().vertices;
  plan.facts.edges = store.facts().edges;
  plan.facts.symmetric = store.facts().symmetric;
  for (const std::string medium : {in_pmem ? "medium=pmem" : "medium=ssd", "medium=dram"}) {
    EngineOptions options = request.options;
    options.settings = engine_settings("evolving:" + medium);
    const EngineEntry engine = find_engine("evolving").with(options.settings);
    options.depth = engine.depth;
    PlannedRun run{engine.name, medium, {}, {}};
    if (workload.needs_symmetric && !plan.facts.symmetric) {
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
