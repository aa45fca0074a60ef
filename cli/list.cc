// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/verbs.h"
#include "engines/engine.h"
#include "storage/io/backend.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/parts.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

nlohmann::json with_parameters(const auto& pack) {
  nlohmann::json parameters = nlohmann::json::array();
  for (const PackParameter& parameter : pack.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"default", std::to_string(parameter.fallback)},
                          {"help", parameter.help}});
  }
  return {{"name", pack.name}, {"help", pack.help}, {"parameters", parameters}};
}

// What layouts are made of.
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
  for (const PackPart& pack : pack_parts()) list["packs"].push_back(with_parameters(pack));
  for (const EdgePackPart& pack : edge_pack_parts()) {
    list["packs"].push_back(with_parameters(pack));
  }
}

nlohmann::json everything() {
  nlohmann::json list = {{"engines", nlohmann::json::array()},
                         {"workloads", nlohmann::json::array()},
                         {"backends", nlohmann::json::array()}};
  add_parts(list);
  for (const EngineEntry& entry : engines()) {
    list["engines"].push_back({{"name", entry.name}, {"help", entry.help}});
  }
  for (const Workload& workload : workloads()) {
    nlohmann::json parameters = nlohmann::json::array();
    for (const ParameterSpec& spec : workload.parameters) {
      parameters.push_back({{"name", spec.name}, {"default", spec.fallback}, {"help", spec.help}});
    }
    list["workloads"].push_back(
        {{"name", workload.name}, {"help", workload.help}, {"parameters", parameters}});
  }
  for (const auto& [name, help] : backends()) {
    list["backends"].push_back({{"name", name}, {"help", help}});
  }
  return list;
}

void print(const nlohmann::json& list) {
  for (const auto& [kind, entries] : list.items()) {
    fmt::print("{}:\n", kind);
    for (const auto& entry : entries) {
      fmt::print("  {:<14} {}\n", entry.at("name").get<std::string>(),
                 entry.at("help").get<std::string>());
      if (!entry.contains("parameters")) continue;
      const std::string option =
          kind == "packs" ? fmt::format("--pack {}:", entry.at("name").get<std::string>())
                          : "--set ";
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
