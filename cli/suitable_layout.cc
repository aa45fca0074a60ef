// SPDX-License-Identifier: Apache-2.0
#include "cli/suitable_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "common/error.h"
#include "common/terminal.h"
#include "storage/layout/edges/edge_layout.h"
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

// The bytes of all files of the layout: the most that a run may have to read of it.
std::uint64_t bytes_of(const Container& container, const std::string& layout) {
  const std::filesystem::path path = container.layout_folder(layout) / "layout.json";
  const nlohmann::json manifest = read_json(path);
  std::uint64_t bytes = 0;
  const auto files = json_field<nlohmann::json>(manifest, "files", path);
  for (const auto& [name, file] : files.items()) {
    bytes += json_field<std::uint64_t>(file, "bytes", path, "files/");
  }
  return bytes;
}

// The same shards, with room for values of `bytes` bytes on the edges.
LayoutChoices with_value(LayoutChoices choices, std::size_t bytes) {
  const LayoutChoices plain = complete_choices(choices);
  set_pack(choices,
           fmt::format("{}:p={},value={}", choices.pack, plain.pack_parameters.whole("p"), bytes));
  return choices;
}

}  // namespace

std::vector<std::string> engines_for(const Workload& workload) {
  std::vector<std::string> names;
  for (const EngineEntry& engine : engines()) {
    if (missing(engine.traits, workload).empty()) names.push_back(engine.name);
  }
  return names;
}

void check_engine_suits(const EngineEntry& engine, const Workload& workload, bool wants_trace) {
  if (const std::string lacks = missing(engine.traits, workload); !lacks.empty()) {
    throw usage_error(fmt::format("{} cannot run {}: it does not offer {}; these can: {}",
                                  engine.name, workload.name, lacks,
                                  fmt::join(engines_for(workload), ", ")));
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
  if (find_engine(request.engine).traits.messages_on_edges &&
      edge_parameter(choices, "value", sizeof(VertexId)) < workload.message_bytes) {
    choices = with_value(choices, std::bit_ceil(workload.message_bytes));
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

std::string usual_layout(const RunRequest& request, const Parameters& parameters,
                         Container& container, const EngineEntry& engine) {
  const std::vector<std::string> suitable =
      suitable_layouts(request, parameters, container, engine);
  if (suitable.empty()) {
    throw usage_error(fmt::format(
        "{} has no layout for {} on {} yet; {}", request.graph.string(), request.workload,
        request.engine,
        how_to_have(request.graph,
                    suitable_choices(request, parameters, container, plainest_choices(engine)))));
  }
  const std::string taken =
      *std::min_element(suitable.begin(), suitable.end(), [&](const auto& a, const auto& b) {
        return bytes_of(container, a) < bytes_of(container, b);
      });
  if (suitable.size() > 1) {
    remark(fmt::format("layout {}, of {}: it has the fewest bytes; --layout takes another", taken,
                       fmt::join(suitable, ", ")));
  }
  return taken;
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
  if (wanted.pack_parameters != found.pack_parameters) {
    throw usage_error(fmt::format(
        "{} on {} puts messages of {} bytes onto edges, and the values of layout {} have {}; {}",
        request.workload, request.engine, workload.message_bytes, request.layout,
        edge_parameter(found, "value", sizeof(VertexId)), how_to_have(request.graph, wanted)));
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
