// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/suitable_layout.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "cli/wrapped.h"
#include "common/error.h"
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
          {"reverse", traits.reverse},
          {"drive", traits.drive},
          {"heads", to_string(traits.heads)},
          {"keeps_graph_in_memory", traits.keeps_graph_in_memory},
          {"traces", traits.traces},
          {"openmp", traits.openmp},
          {"messages_on_edges", traits.messages_on_edges},
          {"frames_of_memory", traits.frames_of_memory}};
}

nlohmann::json workload_json(const Workload& workload) {
  nlohmann::json json = entry_json(workload);
  json["engines"] = engines_for(workload);
  json["message_bytes"] = workload.message_bytes;
  json["needs_reverse"] = workload.needs_reverse;
  return json;
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
    if (entry.published) engine["published"] = entry.published->knobs();
    engine["traits"] = traits_json(entry);
    list["engines"].push_back(std::move(engine));
  }
  for (const Workload& workload : workloads()) {
    list["workloads"].push_back(workload_json(workload));
  }
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

// Under an entry's name and help, and indented by more.
void print_below(const std::string& line) {
  fmt::print("{}\n", wrapped(fmt::format("  {:<14}   {}", "", line)));
}

void print_traits(const nlohmann::json& traits) {
  const std::string line =
      traits.is_object()
          ? engine_traits(traits)
          : fmt::format("{}", fmt::join(traits.get<std::vector<std::string>>(), ", "));
  if (!line.empty()) print_below(line);
}

void print_in_full(const nlohmann::json& list) {
  for (const auto& [kind, entries] : list.items()) {
    fmt::print("{}:\n", kind);
    for (const auto& entry : entries) {
      fmt::print("  {:<14} {}\n", entry.at("name").get<std::string>(),
                 entry.at("help").get<std::string>());
      if (entry.contains("traits")) print_traits(entry.at("traits"));
      if (entry.contains("depth")) {
        print_below(
            fmt::format("--depth {}  requests in flight", entry.at("depth").get<unsigned>()));
        print_below(fmt::format("--max-request {}  bytes of the largest request",
                                entry.at("max_request").get<std::uint32_t>()));
      }
      if (entry.contains("engines")) {
        print_below(fmt::format(
            "runs on {}", fmt::join(entry.at("engines").get<std::vector<std::string>>(), ", ")));
      }
      if (!entry.contains("parameters")) continue;
      const std::string option = option_of(kind, entry.at("name"));
      for (const auto& parameter : entry.at("parameters")) {
        print_below(fmt::format("{}{}={}  {}", option, parameter.at("name").get<std::string>(),
                                parameter.at("default").get<std::string>(),
                                parameter.at("help").get<std::string>()));
      }
    }
  }
}

// What may be asked for by itself, and which parts of the whole list that is.
const std::map<std::string, std::vector<std::string>>& kinds() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"engines", {"engines"}},
      {"workloads", {"workloads"}},
      {"layouts", {"presets", "numbers", "places", "packs", "codecs"}},
      {"backends", {"backends"}}};
  return all;
}

nlohmann::json only(const nlohmann::json& list, const std::string& kind) {
  nlohmann::json chosen;
  for (const std::string& part : kinds().at(kind)) chosen[part] = list.at(part);
  return chosen;
}

std::string names_of(const nlohmann::json& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.at("name"));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Which workload runs on which engine, and which layouts an engine reads; then all other names.
void print_overview(const nlohmann::json& list) {
  std::vector<std::string> header = {"workload"};
  std::vector<std::string> reads = {"layouts of pack"};
  for (const auto& engine : list.at("engines")) {
    header.push_back(engine.at("name"));
    const auto& traits = engine.at("traits");
    const auto& pack = traits.at("pack");
    reads.push_back(pack.is_null() ? "any of " + traits.at("reads").get<std::string>()
                                   : pack.get<std::string>());
  }
  TextTable table(header);
  for (const auto& workload : list.at("workloads")) {
    std::vector<std::string> row = {workload.at("name")};
    const auto& able = workload.at("engines");
    for (const auto& engine : list.at("engines")) {
      row.emplace_back(
          std::find(able.begin(), able.end(), engine.at("name")) == able.end() ? "-" : "yes");
    }
    table.add(row);
  }
  table.add(reads);
  fmt::print("which workload runs on which engine:\n{}", table.text());
  for (const char* part : {"presets", "numbers", "places", "packs", "codecs", "backends"}) {
    fmt::print("{}: {}\n", part, names_of(list.at(part)));
  }
  fmt::print("with all parameters: outcore list engines | workloads | layouts | backends | all\n");
}

}  // namespace

void add_list(CLI::App& app) {
  struct ListArgs {
    std::string kind;
    bool json = false;
  };
  const auto args = std::make_shared<ListArgs>();
  CLI::App* verb = app.add_subcommand(
      "list", "Show engines, workloads, layouts and I/O backends, and which runs on which");
  verb->add_option("kind", args->kind,
                   "engines, workloads, layouts, backends or all: with all parameters; default: an "
                   "overview");
  verb->add_flag("--json", args->json, "For programs");
  verb->footer("Example: outcore list\n         outcore list engines");
  verb->callback([args] {
    nlohmann::json list = everything();
    const bool all = args->kind.empty() || args->kind == "all";
    if (!all && !kinds().contains(args->kind)) {
      throw unknown_name("kind", args->kind,
                         {"engines", "workloads", "layouts", "backends", "all"});
    }
    if (!all) list = only(list, args->kind);
    if (args->json) {
      fmt::print("{}\n", list.dump(2));
    } else if (args->kind.empty()) {
      print_overview(list);
    } else {
      print_in_full(list);
    }
  });
}

}  // namespace outcore
