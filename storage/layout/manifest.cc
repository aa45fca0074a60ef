// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/manifest.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/files.h"
#include "storage/io/door.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace {

nlohmann::json levels_json(const std::vector<ChunkLevel>& levels) {
  nlohmann::json json = nlohmann::json::array();
  for (const ChunkLevel& level : levels) {
    json.push_back({{"chunk_bytes", level.chunk_bytes},
                    {"first_block", level.first_block},
                    {"end_block", level.end_block}});
  }
  return json;
}

std::vector<ChunkLevel> levels_from(const nlohmann::json& facts, const std::string& name,
                                    const std::filesystem::path& path) {
  std::vector<ChunkLevel> levels;
  for (const auto& json : json_field<std::vector<nlohmann::json>>(facts, name, path)) {
    levels.push_back({json_field<std::uint64_t>(json, "chunk_bytes", path),
                      json_field<BlockId>(json, "first_block", path),
                      json_field<BlockId>(json, "end_block", path)});
  }
  return levels;
}

}  // namespace

GraphKind layout_kind(const nlohmann::json& manifest, const std::filesystem::path& path) {
  if (!manifest.contains("kind")) return GraphKind::lists;
  const auto name = json_field<std::string>(manifest, "kind", path);
  for (const GraphKind kind : {GraphKind::lists, GraphKind::edges}) {
    if (name == to_string(kind)) return kind;
  }
  throw bad_input(Place::file(path), fmt::format("kind '{}'", name), "lists or edges", kBuildAgain);
}

void check_tables(const nlohmann::json& manifest, const std::filesystem::path& path) {
  check_file_table(manifest, path);
  const auto graph = json_field<nlohmann::json>(manifest, "graph", path);
  json_field<nlohmann::json>(graph, "files", path, "graph/");
}

void check_hash(std::uint64_t found, const std::filesystem::path& path,
                const nlohmann::json& entry) {
  const auto expected = json_field<std::string>(entry, "hash", path);
  if (hash_text(found) == expected) return;
  throw bad_input(Place::file(path), "checksum " + hash_text(found), expected, kBuildAgain);
}

nlohmann::json choices_json(const LayoutChoices& choices) {
  nlohmann::json parameters = nlohmann::json::object();
  for (const Parameter& parameter : pack_parameters(choices.pack)) {
    if (parameter.kind == Parameter::Kind::whole) {
      parameters[parameter.name] = choices.pack_parameters.whole(parameter.name);
    } else {
      parameters[parameter.name] = choices.pack_parameters.text(parameter.name);
    }
  }
  return {{"number", choices.number},       {"place", choices.place},
          {"pack", choices.pack},           {"pack_parameters", parameters},
          {"codec", choices.codec},         {"inline", choices.inline_edges},
          {"mini_data", choices.mini_data}, {"heads", choices.heads},
          {"weights", choices.weights},     {"block_bytes", choices.block_bytes}};
}

nlohmann::json common_facts_json(const CommonFacts& facts) {
  return {{"vertices", facts.vertices},
          {"id_space", facts.id_space},
          {"edges", facts.edges},
          {"symmetric", facts.symmetric},
          {"weighted", facts.weighted},
          {"least_weight", facts.least_weight},
          {"block_bytes", facts.block_bytes},
          {"raw_bytes", facts.raw_bytes}};
}

nlohmann::json facts_json(const LayoutFacts& facts) {
  nlohmann::json json = common_facts_json(facts);
  json.update({{"slots_per_block", facts.slots_per_block},
               {"blocks", facts.blocks},
               {"most_vertices_in_a_block", facts.most_vertices_in_a_block},
               {"longest_list", facts.longest_list},
               {"straddling", facts.straddling},
               {"inline_edges", facts.inline_edges},
               {"theta", facts.theta},
               {"out_levels", levels_json(facts.out_levels)},
               {"in_levels", levels_json(facts.in_levels)}});
  return json;
}

LayoutChoices choices_from_manifest(const nlohmann::json& manifest,
                                    const std::filesystem::path& path) {
  const auto json = json_field<nlohmann::json>(manifest, "choices", path);
  LayoutChoices choices;
  choices.number = json_field<std::string>(json, "number", path);
  choices.place = json_field<std::string>(json, "place", path);
  choices.pack = json_field<std::string>(json, "pack", path);
  std::vector<std::string> assignments;
  for (const auto& [name, value] :
       json_field<std::map<std::string, nlohmann::json>>(json, "pack_parameters", path)) {
    assignments.push_back(
        fmt::format("{}={}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  choices.codec = json_field<std::string>(json, "codec", path);
  choices.inline_edges = json_field<unsigned>(json, "inline", path);
  choices.mini_data = json_field<bool>(json, "mini_data", path);
  choices.heads = json_field<unsigned>(json, "heads", path);
  choices.weights = json_field<std::string>(json, "weights", path);
  choices.block_bytes = json_field<std::uint32_t>(json, "block_bytes", path);
  try {
    choices.pack_parameters = pack_settings(choices.pack, assignments);
    return complete_choices(choices);
  } catch (const Error& error) {
    throw bad_input(Place::file(path),
                    fmt::format("choices that cannot be read ({})", error.what()),
                    "choices of this version", "build the layout again with this outcore");
  }
}

CommonFacts common_facts_from_manifest(const nlohmann::json& manifest,
                                       const std::filesystem::path& path) {
  const auto json = json_field<nlohmann::json>(manifest, "facts", path);
  CommonFacts facts;
  facts.vertices = json_field<VertexId>(json, "vertices", path);
  facts.id_space = json_field<VertexId>(json, "id_space", path);
  facts.edges = json_field<EdgeIndex>(json, "edges", path);
  facts.symmetric = json_field<bool>(json, "symmetric", path);
  facts.weighted = json_field<bool>(json, "weighted", path);
  facts.least_weight = json_field<float>(json, "least_weight", path);
  facts.block_bytes = json_field<std::uint32_t>(json, "block_bytes", path);
  facts.raw_bytes = json_field<std::uint64_t>(json, "raw_bytes", path);
  return facts;
}

LayoutFacts facts_from_manifest(const nlohmann::json& manifest, const std::filesystem::path& path) {
  const auto json = json_field<nlohmann::json>(manifest, "facts", path);
  LayoutFacts facts;
  static_cast<CommonFacts&>(facts) = common_facts_from_manifest(manifest, path);
  facts.slots_per_block = json_field<std::uint32_t>(json, "slots_per_block", path);
  facts.blocks = json_field<std::uint64_t>(json, "blocks", path);
  facts.most_vertices_in_a_block =
      json_field<std::uint32_t>(json, "most_vertices_in_a_block", path);
  facts.longest_list = json_field<std::uint64_t>(json, "longest_list", path);
  facts.straddling = json_field<bool>(json, "straddling", path);
  facts.inline_edges = json_field<EdgeIndex>(json, "inline_edges", path);
  facts.theta = json_field<std::vector<VertexId>>(json, "theta", path);
  facts.out_levels = levels_from(json, "out_levels", path);
  facts.in_levels = levels_from(json, "in_levels", path);
  return facts;
}

}  // namespace outcore
