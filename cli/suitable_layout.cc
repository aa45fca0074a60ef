// SPDX-License-Identifier: Apache-2.0
#include "cli/suitable_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/error.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/manifest.h"
#include "storage/layout/parts.h"
#include "workloads/weights.h"

namespace outcore {

namespace {

// Does the run use the graph's own weights?
bool takes_given_weights(const Workload& workload, const Parameters& parameters,
                         const Container& container) {
  const auto& specs = workload.parameters;
  const std::string name = weights_parameter().name;
  return std::any_of(specs.begin(), specs.end(), [&](const auto& s) { return s.name == name; }) &&
         wants_given_weights(workload.name, parameters, container.facts().weighted);
}

}  // namespace

void check_engine_suits(const EngineEntry& engine, const Workload& workload, bool wants_trace) {
  if (const std::string lacks = missing(engine.traits, workload); !lacks.empty()) {
    throw usage_error(
        fmt::format("{} cannot run {}: it does not offer {}", engine.name, workload.name, lacks));
  }
  if (wants_trace && !engine.traits.traces) {
    throw usage_error(fmt::format(
        "--trace: {} does not know which blocks it reads; leave out --trace", engine.name));
  }
}

LayoutChoices suitable_choices(const RunRequest& request, const Parameters& parameters,
                               Container& container, LayoutChoices choices) {
  const Workload& workload = find_workload(request.workload);
  if (workload.needs_heads && find_engine(request.engine).traits.heads == Heads::layout) {
    choices.heads = std::max(choices.heads, static_cast<unsigned>(parameters.whole("heads")));
  }
  if (choices.weights != "given" && takes_given_weights(workload, parameters, container)) {
    // Checked here too, so that a user who builds such a layout is not refused afterwards.
    if (workload.needs_lengths) check_lengths(workload.name, least_given_weight(container));
    choices.weights = "given";
  }
  return choices;
}

std::vector<std::string> suitable_layouts(const RunRequest& request, const Parameters& parameters,
                                          Container& container, const EngineEntry& engine) {
  std::vector<std::string> suitable;
  for (const std::string& name : container.layouts()) {
    const std::filesystem::path path = container.layout_folder(name) / "layout.json";
    const nlohmann::json manifest = read_json(path);
    const LayoutChoices found = choices_from_manifest(manifest, path);
    if (!can_read(engine, layout_kind(manifest, path), found.pack)) continue;
    if (suitable_choices(request, parameters, container, found) == found) suitable.push_back(name);
  }
  return suitable;
}

std::string only_suitable_layout(const RunRequest& request, const Parameters& parameters,
                                 Container& container, const EngineEntry& engine) {
  const std::vector<std::string> suitable =
      suitable_layouts(request, parameters, container, engine);
  if (suitable.size() == 1) return suitable.front();
  if (suitable.empty()) {
    throw usage_error(fmt::format(
        "{} has no layout for {} on {} yet; {}", request.graph.string(), request.workload,
        request.engine,
        how_to_have(request.graph,
                    suitable_choices(request, parameters, container, plainest_choices(engine)))));
  }
  throw usage_error(fmt::format("{} on {} can take several layouts of {}: {}; choose by --layout",
                                request.workload, request.engine, request.graph.string(),
                                fmt::join(suitable, ", ")));
}

void check_layout_suits(const RunRequest& request, const Parameters& parameters,
                        Container& container, const OpenedGraph& layout) {
  const Workload& workload = find_workload(request.workload);
  const LayoutChoices& found = layout.choices();
  const LayoutChoices wanted = suitable_choices(request, parameters, container, found);
  if (wanted.heads > found.heads) {
    throw usage_error(fmt::format(
        "{} asks for the first {} neighbours of each vertex, of which layout {} holds {}; {}",
        request.workload, wanted.heads, request.layout, found.heads,
        how_to_have(request.graph, wanted)));
  }
  if (workload.needs_lengths && takes_given_weights(workload, parameters, container)) {
    check_lengths(workload.name, layout.facts().least_weight);
  }
  if (wanted.weights != found.weights) {
    throw usage_error(fmt::format(
        "{} takes the graph's weights, which layout {} does not hold; ask for weights=hashed, or "
        "{}",
        request.workload, request.layout, how_to_have(request.graph, wanted)));
  }
}

}  // namespace outcore
