// SPDX-License-Identifier: Apache-2.0
#include "cli/limit_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/shell.h"
#include "common/sizes.h"
#include "engines/engine.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

using Part = std::pair<std::uint64_t, std::string>;  // bytes, name

constexpr std::string_view kBytes = "_bytes";

// The named parts of the account of memory, the largest first. An engine that keeps the graph in
// memory reports its lists only after it has read them, so they are computed here.
std::vector<Part> wanted_parts(const nlohmann::json& record, const EngineEntry& engine) {
  std::vector<Part> parts;
  for (const auto& [key, bytes] : record.at("memory").items()) {
    if (key == "peak_rss_bytes" || key == "unaccounted_bytes") continue;
    parts.emplace_back(bytes.get<std::uint64_t>(), key.substr(0, key.size() - kBytes.size()));
  }
  const auto& graph = record.at("graph");
  const bool has_lists = record.at("memory").contains("lists_bytes");
  if (engine.traits.keeps_graph_in_memory && !has_lists) {
    const std::uint64_t directions = graph.at("symmetric").get<bool>() ? 1 : 2;
    const std::uint64_t edges = graph.at("edges");
    parts.emplace_back(directions * edges * sizeof(VertexId), "lists");
  }
  std::sort(parts.rbegin(), parts.rend());
  return parts;
}

// The engines that can run the workload and read the graph from disk.
std::vector<std::string> frugal_engines(const Workload& workload) {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engines()) {
    const bool reads = !entry.traits.keeps_graph_in_memory && entry.reads == GraphKind::lists;
    if (reads && entry.traits.pack.empty() && missing(entry.traits, workload).empty()) {
      names.push_back(entry.name);
    }
  }
  return names;
}

std::string plan_command(const nlohmann::json& asked) {
  const auto& limit = asked.at("memory_bytes");
  return fmt::format("outcore plan {} --workload {}{}",
                     shell_word(asked.at("graph").get<std::string>()),
                     asked.at("workload").get<std::string>(),
                     limit.is_null() ? "" : fmt::format(" --memory {}", limit.dump()));
}

}  // namespace

std::string limit_advice(const nlohmann::json& record) {
  if (!record.contains("memory") || !record.contains("graph")) return {};
  const auto& asked = record.at("asked");
  const EngineEntry& engine = find_engine(asked.at("engine"));
  const std::vector<Part> parts = wanted_parts(record, engine);
  std::uint64_t all = 0;
  std::vector<std::string> named;
  for (const auto& [bytes, name] : parts) {
    all += bytes;
    if (bytes > 0) named.push_back(fmt::format("{} {}", name, human_size(bytes)));
  }
  std::string advice =
      engine.traits.keeps_graph_in_memory
          ? fmt::format("take an engine that reads the graph from disk ({})",
                        fmt::join(frugal_engines(find_workload(asked.at("workload"))), ", "))
          : "lower --frames";
  if (asked.at("state") == "memory") advice += ", keep arrays in files (--state file:FOLDER)";
  return fmt::format("it wanted at least {}: {}; {}, or raise --memory; {} shows what fits",
                     human_size(all), fmt::join(named, ", "), advice, plan_command(asked));
}

}  // namespace outcore
