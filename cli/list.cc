// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/verbs.h"
#include "engines/engine.h"
#include "storage/io/backend.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/parts.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

nlohmann::json parameters_json(std::span<const Parameter> parameters) {
  nlohmann::json list = nlohmann::json::array();
  for (const Parameter& parameter : parameters) {
    list.push_back({{"name", parameter.name},
                    {"default", parameter.fallback},
                    {"help", parameter.full_help()}});
  }
  return list;
}

// A registry entry that has parameters.
nlohmann::json entry_json(const auto& entry) {
  return {{"name", entry.name},
          {"help", entry.help},
          {"parameters", parameters_json(entry.parameters)}};
}

// The parts that layouts are made of.
void add_parts(nlohmann::json& list) {
  const auto add = [&](const char* kind, const auto& parts) {
    for (const auto& part : parts) {
      list[kind].push_back({{"name", part.name}, {"help", part.help}});
    }
  };
  add("numbers", number_parts());
  add("places", place_parts());
  add("codecs", codec_parts());
  add("presets", layout_presets());
  const auto add_pack = [&](const auto& pack, GraphKind holds) {
    nlohmann::json json = entry_json(pack);
    json["holds"] = to_string(holds);
    list["packs"].push_back(std::move(json));
  };
  for (const PackPart& pack : pack_parts()) add_pack(pack, GraphKind::lists);
  for (const EdgePackPart& pack : edge_pack_parts()) {
    add_pack(pack, GraphKind::edges);
  }
}

// Makes the backend once to see what it is on this machine: where io_uring is refused, `uring`
// works as `threads`.
nlohmann::json backend_json(const BackendEntry& entry) {
  const auto backend = make_backend(entry.name, {});
  nlohmann::json json = entry_json(entry);
  json["traits"] = backend->traits().names();
  json["notes"] = backend->notes();
  return json;
}

nlohmann::json traits_json(const EngineEntry& entry) {
  const EngineTraits& traits = entry.traits;
  return {{"reads", to_string(entry.reads)},
          {"pack", traits.pack.empty() ? nlohmann::json() : nlohmann::json(traits.pack)},
          {"converge", to_string(traits.converge)},
          {"round", to_string(traits.round)},
          {"pull", traits.pull},
          {"drive", traits.drive},
          {"heads", to_string(traits.heads)},
          {"keeps_graph_in_memory", traits.keeps_graph_in_memory},
          {"traces", traits.traces},
          {"openmp", traits.openmp},
          {"frames_of_memory", traits.frames_of_memory}};
}

nlohmann::json everything() {
  nlohmann::json list = {{"engines", nlohmann::json::array()},
                         {"workloads", nlohmann::json::array()},
                         {"backends", nlohmann::json::array()}};
  add_parts(list);
  for (const EngineEntry& entry : engines()) {
    nlohmann::json engine = entry_json(entry);
    engine["backend"] = entry.usual_backend({});
    engine["depth"] = entry.depth;
    engine["max_request"] = entry.max_request;
    engine["traits"] = traits_json(entry);
    list["engines"].push_back(std::move(engine));
  }
  for (const Workload& workload : workloads()) list["workloads"].push_back(entry_json(workload));
  for (const BackendEntry& entry : backends()) list["backends"].push_back(backend_json(entry));
  return list;
}

// How a user passes a parameter of this kind.
std::string option_of(const std::string& kind, const std::string& name) {
  if (kind == "packs") return fmt::format("--pack {}:", name);
  if (kind == "backends") return fmt::format("--backend {}:", name);
  if (kind == "engines") return fmt::format("--engine {}:", name);
  return "--set ";
}

// "reads lists; visibility: converge immediate, round round; pull, drive; heads: any"
std::string engine_traits(const nlohmann::json& traits) {
  const auto text = [&](const char* name) { return traits.at(name).get<std::string>(); };
  std::vector<std::string> flags;
  for (const auto& [name, value] : traits.items()) {
    if (value.is_boolean() && value.get<bool>()) flags.push_back(name);
  }
  const std::string pack = traits.at("pack").is_null() ? "" : " of pack " + text("pack");
  return fmt::format("reads {}{}; visibility: converge {}, round {}; heads: {}; {}", text("reads"),
                     pack, text("converge"), text("round"), text("heads"), fmt::join(flags, ", "));
}

void print_traits(const nlohmann::json& traits) {
  const std::string line =
      traits.is_object()
          ? engine_traits(traits)
          : fmt::format("{}", fmt::join(traits.get<std::vector<std::string>>(), ", "));
  if (!line.empty()) fmt::print("  {:<14}   {}\n", "", line);
}

void print(const nlohmann::json& list) {
  for (const auto& [kind, entries] : list.items()) {
    fmt::print("{}:\n", kind);
    for (const auto& entry : entries) {
      fmt::print("  {:<14} {}\n", entry.at("name").get<std::string>(),
                 entry.at("help").get<std::string>());
      if (entry.contains("traits")) print_traits(entry.at("traits"));
      if (entry.contains("depth")) {
        fmt::print("  {:<14}   --depth {}  requests in flight\n", "",
                   entry.at("depth").get<unsigned>());
        fmt::print("  {:<14}   --max-request {}  bytes of the largest request\n", "",
                   entry.at("max_request").get<std::uint32_t>());
      }
      if (!entry.contains("parameters")) continue;
      const std::string option = option_of(kind, entry.at("name"));
      for (const auto& parameter : entry.at("parameters")) {
        fmt::print("  {:<14}   {}{}={}  {}\n", "", option, parameter.at("name").get<std::string>(),
                   parameter.at("default").get<std::string>(),
                   parameter.at("help").get<std::string>());
      }
    }
  }
}

}  // namespace

void add_list(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("list", "Show the engines, workloads, parts of layouts and I/O backends");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "For programs");
  verb->footer("Example: outcore list");
  verb->callback([json] {
    const nlohmann::json list = everything();
    if (*json) {
      fmt::print("{}\n", list.dump(2));
    } else {
      print(list);
    }
  });
}

}  // namespace outcore
