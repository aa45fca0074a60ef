// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/manifest.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/files.h"
#include "storage/layout/parts.h"

namespace outcore {

nlohmann::json choices_json(const LayoutChoices& choices) {
  return {{"number", choices.number}, {"place", choices.place},
          {"pack", choices.pack},     {"pack_parameters", choices.pack_parameters},
          {"codec", choices.codec},   {"inline", choices.inline_edges},
          {"heads", choices.heads},   {"block_bytes", choices.block_bytes}};
}

nlohmann::json facts_json(const LayoutFacts& facts) {
  return {{"vertices", facts.vertices},
          {"id_space", facts.id_space},
          {"edges", facts.edges},
          {"symmetric", facts.symmetric},
          {"block_bytes", facts.block_bytes},
          {"slots_per_block", facts.slots_per_block},
          {"blocks", facts.blocks},
          {"most_vertices_in_a_block", facts.most_vertices_in_a_block},
          {"longest_list", facts.longest_list},
          {"straddling", facts.straddling},
          {"raw_bytes", facts.raw_bytes}};
}

LayoutChoices choices_from_manifest(const nlohmann::json& manifest,
                                    const std::filesystem::path& path) {
  const auto version = json_field<int>(manifest, "version", path);
  if (version != kLayoutVersion) {
    throw bad_input(Place::file(path), fmt::format("version {}", version),
                    fmt::format("version {}", kLayoutVersion),
                    "build the layout again with this outcore");
  }
  const auto json = json_field<nlohmann::json>(manifest, "choices", path);
  LayoutChoices choices;
  choices.number = json_field<std::string>(json, "number", path);
  choices.place = json_field<std::string>(json, "place", path);
  choices.pack = json_field<std::string>(json, "pack", path);
  // Layouts from before packs had parameters do not name any.
  if (json.contains("pack_parameters")) {
    choices.pack_parameters = json_field<PackParameters>(json, "pack_parameters", path);
  }
  choices.codec = json_field<std::string>(json, "codec", path);
  choices.inline_edges = json_field<unsigned>(json, "inline", path);
  choices.heads = json_field<unsigned>(json, "heads", path);
  choices.block_bytes = json_field<std::uint32_t>(json, "block_bytes", path);
  try {
    return complete_choices(choices);
  } catch (const Error& error) {
    throw bad_input(Place::file(path),
                    fmt::format("choices that cannot be read ({})", error.what()),
                    "choices of this version", "build the layout again with this outcore");
  }
}

LayoutFacts facts_from_manifest(const nlohmann::json& manifest, const std::filesystem::path& path) {
  const auto json = json_field<nlohmann::json>(manifest, "facts", path);
  LayoutFacts facts;
  facts.vertices = json_field<VertexId>(json, "vertices", path);
  facts.id_space = json_field<VertexId>(json, "id_space", path);
  facts.edges = json_field<EdgeIndex>(json, "edges", path);
  facts.symmetric = json_field<bool>(json, "symmetric", path);
  facts.block_bytes = json_field<std::uint32_t>(json, "block_bytes", path);
  facts.slots_per_block = json_field<std::uint32_t>(json, "slots_per_block", path);
  facts.blocks = json_field<std::uint64_t>(json, "blocks", path);
  facts.most_vertices_in_a_block =
      json_field<std::uint32_t>(json, "most_vertices_in_a_block", path);
  facts.longest_list = json_field<std::uint64_t>(json, "longest_list", path);
  facts.straddling = json_field<bool>(json, "straddling", path);
  facts.raw_bytes = json_field<std::uint64_t>(json, "raw_bytes", path);
  const auto block_bytes = choices_from_manifest(manifest, path).block_bytes;
  if (facts.block_bytes != block_bytes || facts.slots_per_block * 4 != block_bytes) {
    throw bad_input(Place::file(path), "facts of another block size",
                    fmt::format("{} bytes", block_bytes), "build the layout again");
  }
  return facts;
}

}  // namespace outcore
