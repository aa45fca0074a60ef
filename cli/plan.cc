// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/planner.h"
#include "cli/store_graph.h"
#include "cli/store_plan.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "common/sizes.h"

namespace outcore {

namespace {

struct PlanArgs {
  RunRequest request;
  std::string frames = "64M";
  std::string memory;
  bool json = false;
};

// "index 2.0 MiB, frames 64.0 MiB"
std::string parts_text(const NamedBytes& parts) {
  std::string text;
  for (const auto& [name, bytes] : parts) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, human_size(bytes));
  }
  return text.empty() ? "-" : text;
}

void print_runs(const std::vector<PlannedRun>& runs, const RunRequest& request) {
  const bool limited = request.memory_bytes.has_value();
  std::vector<std::string> header = {"engine", "layout", "needs", "program", "engine's", "arrays"};
  if (limited) header.push_back("in " + human_size(*request.memory_bytes));
  TextTable table(header);
  std::string others;
  for (const PlannedRun& run : runs) {
    if (!run.plan) {
      others += fmt::format("  {}{}: {}\n", run.engine,
                            run.layout.empty() ? "" : " on " + run.layout, run.verdict);
      continue;
    }
    std::vector<std::string> row = {run.engine,
                                    run.layout,
                                    human_size(run.plan->all()),
                                    human_size(run.plan->program),
                                    parts_text(run.plan->engine),
                                    parts_text(run.plan->arrays)};
    if (limited) row.push_back(run.verdict);
    table.add(std::move(row));
  }
  if (!table.empty()) fmt::print("{}", table.text());
  fmt::print("{}", others);
}

void print_plan(const PlanArgs& args, const GraphFacts& facts,
                const std::vector<PlannedRun>& runs) {
  if (args.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const PlannedRun& run : runs) rows.push_back(run_json(run));
    fmt::print("{}\n", rows.dump(2));
    return;
  }
  fmt::print("{} on {} ({} vertices, {} edges) needs in memory, at least:\n", args.request.workload,
             facts.name, with_commas(facts.vertices), with_commas(facts.edges));
  print_runs(runs, args.request);
}

void run_plan(PlanArgs& args) {
  RunRequest& request = args.request;
  if (!args.memory.empty()) request.memory_bytes = parse_size(args.memory, "--memory");
  const bool has_store = is_store(request.graph);
  const EdgeIndex edges =
      has_store ? flushed_updates(request.graph) : Container(request.graph).facts().edges;
  request.options.frames_bytes = parse_size(args.frames, "--frames", edges * sizeof(VertexId));
  if (has_store) {
    const StorePlan plan = plan_store(request);
    print_plan(args, plan.facts, plan.runs);
    return;
  }
  Planner planner(request);
  print_plan(args, planner.facts(), planner.runs());
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto args = std::make_shared<PlanArgs>();
  args->request.workload = "bfs";
  CLI::App* verb =
      app.add_subcommand("plan", "Show what each engine would need in memory, and what fits");
  verb->add_option("graph", args->request.graph, "Folder of the graph, or of a store")->required();
  verb->add_option("--workload", args->request.workload, "Algorithm: see outcore list workloads")
      ->capture_default_str();
  verb->add_option("--set", args->request.assignments, "A parameter of the workload: name=value")
      ->allow_extra_args(false);
  verb->add_option("--frames", args->frames, "Block buffers: a size, or % of 4 bytes an edge")
      ->capture_default_str();
  verb->add_option("--memory", args->memory, "A run's memory limit: shows what fits into it");
  verb->add_option("--threads", args->request.options.threads, "Worker threads")
      ->capture_default_str();
  verb->add_flag("--json", args->json, "For programs");
  verb->footer(
      "Example: outcore plan graphs/kron20 --workload pagerank --memory 48M\n"
      "Each engine on each layout that suits it: the program, what the engine has (index, frames,\n"
      "queues, or the whole lists) and the workload's arrays. A run takes little more: its "
      "answer,\n"
      "frontiers and stacks. 'fits with --frames N' names the largest frames that leave room for\n"
      "the rest. Of a store: its lists on the disk, with index and frames in memory (medium=ssd), "
      "or in\npersistent memory (medium=pmem), or all in memory (medium=dram).");
  verb->callback([args] { run_plan(*args); });
}

}  // namespace outcore
