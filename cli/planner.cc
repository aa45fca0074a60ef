// SPDX-License-Identifier: Apache-2.0
#include "cli/planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "cli/aside.h"
#include "cli/suitable_layout.h"
#include "cli/symmetrising.h"
#include "cli/trials.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "common/terminal.h"
#include "engines/frames_too_small.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/open_layout.h"

namespace outcore {

namespace {

constexpr const char* kFits = "fits";

// Of one trial of a request that prepare() has passed.
MemoryPlan plan_of(const RunRequest& request, std::uint64_t program) {
  Container container(request.graph);
  const auto layout = open_layout(container.layout_folder(request.layout));
  const Workload& workload = find_workload(request.workload);
  const Parameters parameters(workload.name, workload.parameters,
                              assignments_of(request, 0, container));
  EngineOptions options = request.options;
  const EngineEntry& engine = find_engine(request.engine);
  if (request.frames_of_memory) {
    options.frames_bytes = frames_of_memory(request, engine, *layout, workload, parameters);
  }
  MemoryPlan plan = plan_memory(engine, *layout, options, workload, parameters);
  if (request.state_files) plan.arrays = left_in_memory(plan.arrays, *request.state_files);
  plan.program = program;
  return plan;
}

std::map<std::string, std::uint64_t> parts_of(const MemoryPlan& plan) {
  std::map<std::string, std::uint64_t> parts = {{"program", plan.program}};
  for (const NamedBytes& named : {plan.engine, plan.arrays}) {
    for (const auto& [name, bytes] : named) parts[name] += bytes;
  }
  return parts;
}

// "needs at least 71.2 MiB in memory: frames 64.0 MiB, program 5.1 MiB, index 2.1 MiB"
std::string plan_in_words(const nlohmann::json& plan) {
  std::vector<std::pair<std::uint64_t, std::string>> parts;
  for (const auto& [name, bytes] : plan.at("parts").items()) parts.emplace_back(bytes, name);
  std::sort(parts.rbegin(), parts.rend());
  std::vector<std::string> named;
  for (const auto& [bytes, name] : parts) {
    if (bytes > 0) named.push_back(fmt::format("{} {}", name, human_size(bytes)));
  }
  return fmt::format("needs at least {} in memory: {}", human_size(plan.at("bytes")),
                     fmt::join(named, ", "));
}

}  // namespace

std::string verdict_on(const MemoryPlan& plan, std::optional<std::uint64_t> limit) {
  if (!limit) return {};
  if (plan.all() <= *limit) return kFits;
  const std::uint64_t rest = plan.all() - plan.frames();
  if (plan.frames() == 0 || rest >= *limit) return "does not fit";
  return fmt::format("fits with --frames {}K", (*limit - rest) / 1024);
}

Planner::Planner(RunRequest request)
    : request_(std::move(request)),
      container_(request_.graph),
      workload_(find_workload(request_.workload)),
      program_(resident_bytes()) {
  check_symmetric(workload_, container_);
  settle_sources(request_, container_.facts().has_names);
  request_.trials = 1;
}

std::vector<PlannedRun> Planner::runs() {
  std::vector<PlannedRun> runs;
  for (const EngineEntry& engine : engines()) {
    if (const std::string lacks = missing(engine.traits, workload_, container_.facts().symmetric);
        !lacks.empty()) {
      runs.push_back({engine.name, "", {}, "does not offer " + lacks});
      continue;
    }
    if (engine.reads == GraphKind::store) {
      runs.push_back({engine.name, "", {}, "reads stores of graphs that change, not layouts"});
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

std::string Planner::missing_layout(const EngineEntry& engine) {
  return how_to_have(request_.graph, suitable_choices(request_, parameters_as_asked(request_),
                                                      container_, plainest_choices(engine)));
}

PlannedRun Planner::planned(const EngineEntry& engine, const std::string& layout) {
  RunRequest request = request_;
  request.layout = layout;
  request.options.settings = engine_settings(engine.name);
  request.options.depth = engine.depth;
  request.options.backend = engine.usual_backend(request.options.settings);
  try {
    MemoryPlan plan = plan_of(request, program_);
    std::string verdict = verdict_on(plan, request_.memory_bytes);
    return {engine.name, layout, std::move(plan), std::move(verdict)};
  } catch (const Error& error) {
    return {engine.name, layout, {}, error.what()};
  }
}

nlohmann::json run_json(const PlannedRun& run) {
  nlohmann::json json = {{"engine", run.engine}, {"layout", nullptr}, {"verdict", run.verdict}};
  if (!run.layout.empty()) json["layout"] = run.layout;
  if (!run.plan) return json;
  json["bytes"] = run.plan->all();
  json["parts"] = parts_of(*run.plan);
  return json;
}

void tell_plan(const RunRequest& request) {
  if (is_quiet()) return;
  const std::uint64_t program = resident_bytes();
  const nlohmann::json plan = worked_out_aside([&] {
    const MemoryPlan found = plan_of(request, program);
    return run_json(
        {request.engine, request.layout, found, verdict_on(found, request.memory_bytes)});
  });
  if (plan.is_null()) return;
  std::string text =
      fmt::format("{} on {} {}", request.engine, request.layout, plan_in_words(plan));
  if (const std::string verdict = plan.at("verdict"); !verdict.empty()) {
    text += fmt::format("; in {} it {}", human_size(*request.memory_bytes), verdict);
  }
  remark(text);
}

std::optional<std::uint64_t> larger_frames(const RunRequest& request, const std::string& frames) {
  const nlohmann::json least = worked_out_aside([&]() -> nlohmann::json {
    RunRequest prepared = request;
    prepare(prepared, frames);
    try {
      plan_of(prepared, 0);
    } catch (const FramesTooSmall& error) {
      return error.least();
    }
    return nullptr;
  });
  return least.is_null() ? std::nullopt : std::optional(least.get<std::uint64_t>());
}

std::vector<std::string> runs_that_fit(const RunRequest& request) {
  const nlohmann::json found = worked_out_aside([&] {
    nlohmann::json names = nlohmann::json::array();
    for (const PlannedRun& run : Planner(request).runs()) {
      const bool same = run.engine == request.engine && run.layout == request.layout;
      if (same || !run.plan || run.verdict != kFits) continue;
      names.push_back(
          fmt::format("{} on {} ({})", run.engine, run.layout, human_size(run.plan->all())));
    }
    return names;
  });
  return found.is_null() ? std::vector<std::string>() : found.get<std::vector<std::string>>();
}

}  // namespace outcore
