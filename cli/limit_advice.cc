// SPDX-License-Identifier: Apache-2.0
#include "cli/limit_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cli/asked_engine.h"
#include "common/shell.h"
#include "common/sizes.h"

namespace outcore {

namespace {

using Part = std::pair<std::uint64_t, std::string>;  // bytes, name

constexpr std::string_view kBytes = "_bytes";

// The named parts of the account of memory, the largest first. An engine that keeps the graph in
// memory reports its lists only after it has read them, so they are computed here.
std::vector<Part> wanted_parts(const nlohmann::json& record, const EngineTraits& traits) {
  std::vector<Part> parts;
  for (const auto& [key, bytes] : record.at("memory").items()) {
    if (key == "peak_rss_bytes" || key == "unaccounted_bytes") continue;
    parts.emplace_back(bytes.get<std::uint64_t>(), key.substr(0, key.size() - kBytes.size()));
  }
  const auto& graph = record.at("graph");
  const bool has_lists = record.at("memory").contains("lists_bytes");
  if (traits.keeps_graph_in_memory && !has_lists) {
    const std::uint64_t directions = graph.at("symmetric").get<bool>() ? 1 : 2;
    const std::uint64_t edges = graph.at("edges");
    parts.emplace_back(directions * edges * sizeof(VertexId), "lists");
  }
  std::sort(parts.rbegin(), parts.rend());
  return parts;
}

// What to change in what was asked for.
std::string what_to_lower(const nlohmann::json& asked, const EngineTraits& traits) {
  std::string advice;
  if (!traits.keeps_graph_in_memory) advice = "lower --frames, ";
  if (asked.at("state") == "memory") advice += "keep arrays in files (--state file:FOLDER), ";
  return advice + "raise --memory, ";
}

std::string plan_command(const nlohmann::json& asked) {
  const auto& limit = asked.at("memory_bytes");
  return fmt::format("outcore plan {} --workload {}{}",
                     shell_word(asked.at("graph").get<std::string>()),
                     asked.at("workload").get<std::string>(),
                     limit.is_null() ? "" : fmt::format(" --memory {}", limit.dump()));
}

}  // namespace

std::string limit_advice(const nlohmann::json& record, const std::vector<std::string>& fitting) {
  if (!record.contains("memory") || !record.contains("graph")) return {};
  const auto& asked = record.at("asked");
  const EngineTraits traits = traits_asked_for(asked);
  const std::vector<Part> parts = wanted_parts(record, traits);
  std::uint64_t all = 0;
  std::vector<std::string> named;
  for (const auto& [bytes, name] : parts) {
    all += bytes;
    if (bytes > 0) named.push_back(fmt::format("{} {}", name, human_size(bytes)));
  }
  const std::string others =
      fitting.empty() ? std::string("or take another engine: none fits with these --frames")
                      : fmt::format("or take what fits: {}", fmt::join(fitting, ", "));
  return fmt::format("it wanted at least {}: {}; {}{}; {} shows all", human_size(all),
                     fmt::join(named, ", "), what_to_lower(asked, traits), others,
                     plan_command(asked));
}

}  // namespace outcore
