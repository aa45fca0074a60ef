// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/memory_plan.h"
#include "cli/run_record.h"
#include "cli/suitable_layout.h"
#include "cli/symmetrising.h"
#include "cli/text_table.h"
#include "cli/trials.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/open_layout.h"

namespace outcore {

namespace {

struct PlanArgs {
  RunRequest request;
  std::string frames = "64M";
  std::string memory;
  bool json = false;
};

// One engine on one layout, or why the engine cannot run there.
struct PlannedRun {
  std::string engine;
  std::string layout;
  std::optional<MemoryPlan> plan;
  std::string verdict;
};

std::string verdict_on(const MemoryPlan& plan, std::optional<std::uint64_t> limit) {
  if (!limit) return {};
  if (plan.all() <= *limit) return "fits";
  const std::uint64_t rest = plan.all() - plan.frames();
  if (plan.frames() == 0 || rest >= *limit) return "does not fit";
  return fmt::format("fits with --frames {}K", (*limit - rest) / 1024);
}

class Planner {
 public:
  explicit Planner(PlanArgs& args)
      : request_(args.request),
        container_(request_.graph),
        workload_(find_workload(request_.workload)) {
    check_symmetric(workload_, container_);
    settle_sources(request_, container_.facts().has_names);
    if (!args.memory.empty()) request_.memory_bytes = parse_size(args.memory, "--memory");
    request_.options.frames_bytes =
        parse_size(args.frames, "--frames", container_.facts().edges * sizeof(VertexId));
    request_.trials = 1;
  }

  std::vector<PlannedRun> runs() {
    std::vector<PlannedRun> runs;
    for (const EngineEntry& engine : engines()) {
      if (const std::string lacks = missing(engine.traits, workload_); !lacks.empty()) {
        runs.push_back({engine.name, "", {}, "does not offer " + lacks});
        continue;
      }
      request_.engine = engine.name;
      const std::vector<std::string> layouts =
          suitable_layouts(request_, parameters_as_asked(request_), container_, engine);
      for (const std::string& layout : layouts) runs.push_back(planned(engine, layout));
      if (layouts.empty()) runs.push_back({engine.name, "", {}, missing_layout(engine)});
    }
    return runs;
  }
  [[nodiscard]] const GraphFacts& facts() const { return container_.facts(); }

 private:
  std::string missing_layout(const EngineEntry& engine) {
    return how_to_have(request_.graph, suitable_choices(request_, parameters_as_asked(request_),
                                                        container_, plainest_choices(engine)));
  }

  PlannedRun planned(const EngineEntry& engine, const std::string& name) {
    const auto layout = open_layout(container_.layout_folder(name));
    EngineOptions options = request_.options;
    options.settings = engine_settings(engine.name);
    options.depth = engine.depth;
    options.backend = engine.usual_backend(options.settings);
    try {
      const Parameters parameters(workload_.name, workload_.parameters,
                                  assignments_of(request_, 0, container_));
      MemoryPlan plan = plan_memory(engine, *layout, options, workload_, parameters);
      plan.program = program_;
      std::string verdict = verdict_on(plan, request_.memory_bytes);
      return {engine.name, name, std::move(plan), std::move(verdict)};
    } catch (const Error& error) {
      return {engine.name, name, {}, error.what()};
    }
  }

  RunRequest& request_;
  Container container_;
  const Workload& workload_;
  std::uint64_t program_ = resident_bytes();  // before any engine is made
};

nlohmann::json run_json(const PlannedRun& run) {
  nlohmann::json json = {{"engine", run.engine}, {"layout", nullptr}, {"verdict", run.verdict}};
  if (!run.layout.empty()) json["layout"] = run.layout;
  if (!run.plan) return json;
  std::map<std::string, std::uint64_t> parts = {{"program", run.plan->program}};
  for (const NamedBytes& named : {run.plan->engine, run.plan->arrays}) {
    for (const auto& [name, bytes] : named) parts[name] += bytes;
  }
  json["bytes"] = run.plan->all();
  json["parts"] = parts;
  return json;
}

// "index 2.0 MiB, frames 64.0 MiB"
std::string parts_text(const NamedBytes& parts) {
  std::string text;
  for (const auto& [name, bytes] : parts) {
    if (bytes == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, human_size(bytes));
  }
  return text.empty() ? "-" : text;
}

void print_runs(const std::vector<PlannedRun>& runs, const PlanArgs& args) {
  const bool limited = args.request.memory_bytes.has_value();
  std::vector<std::string> header = {"engine", "layout", "needs", "program", "engine's", "arrays"};
  if (limited) header.push_back("in " + human_size(*args.request.memory_bytes));
  TextTable table(header);
  std::string others;
  for (const PlannedRun& run : runs) {
    if (!run.plan) {
      others += fmt::format("  {}{}: {}\n", run.engine,
                            run.layout.empty() ? "" : " on " + run.layout, run.verdict);
      continue;
    }
    table.add({run.engine, run.layout, human_size(run.plan->all()), human_size(run.plan->program),
               parts_text(run.plan->engine), parts_text(run.plan->arrays), run.verdict});
  }
  if (!table.empty()) fmt::print("{}", table.text());
  fmt::print("{}", others);
}

void run_plan(PlanArgs& args) {
  Planner planner(args);
  const std::vector<PlannedRun> runs = planner.runs();
  if (args.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const PlannedRun& run : runs) rows.push_back(run_json(run));
    fmt::print("{}\n", rows.dump(2));
    return;
  }
  fmt::print("{} on {} ({} vertices, {} edges) needs in memory, at least:\n", args.request.workload,
             planner.facts().name, with_commas(planner.facts().vertices),
             with_commas(planner.facts().edges));
  print_runs(runs, args);
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto args = std::make_shared<PlanArgs>();
  args->request.workload = "bfs";
  CLI::App* verb =
      app.add_subcommand("plan", "Show what each engine would need in memory, and what fits");
  verb->add_option("graph", args->request.graph, "Folder of the graph")->required();
  verb->add_option("--workload", args->request.workload, "Algorithm: see outcore list")
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
      "the rest.");
  verb->callback([args] { run_plan(*args); });
}

}  // namespace outcore
