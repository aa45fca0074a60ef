// SPDX-License-Identifier: Apache-2.0
#include "cli/vertex_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "common/error.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> canonical_id(std::uint64_t id, Container& container) {
  const std::span<const std::uint64_t> ids = container.ids();  // ascending
  if (ids.empty()) {
    return id < container.facts().vertices ? std::optional(id) : std::nullopt;
  }
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  if (at == ids.end() || *at != id) return std::nullopt;
  return static_cast<std::uint64_t>(at - ids.begin());
}

// "the graph has 5, which its file calls by ids from 7 to 9000000000"
std::string vertices_there_are(Container& container) {
  const VertexId count = container.facts().vertices;
  const std::span<const std::uint64_t> ids = container.ids();
  if (count == 0) return "the graph has none";
  if (ids.empty()) return fmt::format("the graph has {}, 0 to {}", count, count - 1);
  return fmt::format("the graph has {}, which its file calls by ids from {} to {}", count,
                     ids.front(), ids.back());
}

// The id of a vertex as the command line has it; a source may also be said otherwise.
std::string in_canonical_id(const std::string& text, const std::string& option, bool is_source,
                            Container& container) {
  const std::optional<std::uint64_t> id = whole_number(text);
  if (!id) {
    const GraphFacts& facts = container.facts();
    if (is_source) check_source(text, facts.vertices, facts.edges, option);
    return text;
  }
  const std::optional<std::uint64_t> canonical = canonical_id(*id, container);
  if (canonical) return std::to_string(*canonical);
  throw usage_error(fmt::format("{}{}: there is no such vertex; {}", option, text,
                                vertices_there_are(container)));
}

}  // namespace

std::vector<std::string> in_canonical_ids(const Workload& workload,
                                          std::vector<std::string> assignments,
                                          const std::string& source_option, Container& container) {
  for (const ParameterSpec& spec : workload.parameters) {
    if (spec.kind != ParameterSpec::Kind::vertex) continue;
    const std::string prefix = spec.name + "=";
    const bool is_source = spec.name == "source";
    const std::string option = is_source ? source_option : "--set " + prefix;
    for (std::string& assignment : assignments) {
      if (!assignment.starts_with(prefix)) continue;
      const std::string text = assignment.substr(prefix.size());
      assignment = prefix + in_canonical_id(text, option, is_source, container);
    }
  }
  return assignments;
}

void name_by_file_ids(nlohmann::json& summary, Container& container) {
  const std::span<const std::uint64_t> ids = container.ids();
  if (ids.empty()) return;
  const auto rename = [&](nlohmann::json& vertex) { vertex = ids[vertex.get<VertexId>()]; };
  for (const char* name : {"source", "most_central"}) {
    if (summary.contains(name)) rename(summary[name]);
  }
  for (const char* name : {"sources", "roots"}) {
    // radii's `sources` is how many.
    if (!summary.contains(name) || !summary[name].is_array()) continue;
    for (nlohmann::json& vertex : summary[name]) rename(vertex);
  }
}

}  // namespace outcore
