// SPDX-License-Identifier: Apache-2.0
#include "cli/vertex_ids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>

#include "common/error.h"
#include "common/parse_number.h"
#include "storage/formats/vertex_labels.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

// Is the source given by a rule rather than by an id or name?
bool is_rule(const std::string& text) {
  return text == "max-degree" || text.starts_with("random:");
}

// As by_canonical_ids(), for a graph whose vertices have names: one name, or several joined by +. A
// name may itself contain a +.
std::string by_names(const std::string& text, const std::string& option, Container& container) {
  const Names names = container.names();
  if (const auto vertex = names.find(text)) return std::to_string(*vertex);
  std::vector<VertexId> vertices;
  for (const auto& part : std::views::split(text, '+')) {
    const std::string_view name(part.begin(), part.end());
    const auto vertex = names.find(name);
    if (!vertex) {
      throw usage_error(
          fmt::format("{}{}: there is no vertex '{}'; the graph's vertices have "
                      "names, such as '{}'",
                      option, text, name, names[0]));
    }
    vertices.push_back(*vertex);
  }
  return fmt::format("{}", fmt::join(vertices, "+"));
}

// Translates a vertex id as the user writes it, or several joined by + (3+17).
std::string by_canonical_ids(const std::string& text, const std::string& option,
                             Container& container) {
  const VertexFinder finder(container);
  const auto named = joined_ids(text);
  if (!named) return text;  // for instance max-degree
  std::vector<std::uint64_t> ids;
  for (const std::uint64_t id : *named) {
    const std::optional<VertexId> canonical = finder.by_id(id);
    if (!canonical) {
      throw usage_error(
          fmt::format("{}{}: there is no {}; {}", option, text,
                      named->size() == 1 ? "such vertex" : fmt::format("vertex {}", id),
                      finder.vertices_there_are()));
    }
    ids.push_back(*canonical);
  }
  return fmt::format("{}", fmt::join(ids, "+"));
}

// How many sources the workload takes; nothing if it always takes one.
std::optional<std::size_t> sources_wanted(const Workload& workload, const Parameter& source,
                                          const std::vector<std::string>& assignments) {
  if (source.how_many.empty()) return std::nullopt;
  return Parameters(workload.name, workload.parameters, assignments).whole(source.how_many);
}

}  // namespace

VertexFinder::VertexFinder(Container& container, Called called)
    : count_(container.facts().vertices) {
  if (called == Called::by_number) return;
  ids_ = container.ids();
  names_ = container.names();
}

std::optional<VertexId> VertexFinder::by_id(std::uint64_t id) const {
  if (ids_.empty()) return id < count_ ? std::optional(static_cast<VertexId>(id)) : std::nullopt;
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (at == ids_.end() || *at != id) return std::nullopt;
  return static_cast<VertexId>(at - ids_.begin());
}

std::optional<VertexId> VertexFinder::by_text(std::string_view text) const {
  if (named()) return names_.find(text);
  const auto id = parse_number<std::uint64_t>(text);
  return id ? by_id(*id) : std::nullopt;
}

std::string VertexFinder::vertices_there_are() const {
  if (count_ == 0) return "the graph has none";
  if (named()) return fmt::format("the graph has {}, with names such as '{}'", count_, names_[0]);
  if (ids_.empty()) return fmt::format("the graph has {}, 0 to {}", count_, count_ - 1);
  return fmt::format("the graph has {}, with ids from {} to {} in its file", count_, ids_.front(),
                     ids_.back());
}

std::vector<std::string> in_canonical_ids(const Workload& workload,
                                          std::vector<std::string> assignments,
                                          const std::string& source_option, Container& container) {
  for (const Parameter& spec : workload.parameters) {
    if (spec.kind != Parameter::Kind::vertex) continue;
    const std::string prefix = spec.name + "=";
    const bool is_source = spec.name == "source";
    const std::string option = is_source ? source_option : "--set " + prefix;
    for (std::string& assignment : assignments) {
      if (!assignment.starts_with(prefix)) continue;
      std::string text = assignment.substr(prefix.size());
      const bool named = container.facts().has_names && !is_rule(text);
      if (named) text = by_names(text, option, container);
      if (is_source) {
        check_source(text, sources_wanted(workload, spec, assignments), container.facts().edges,
                     option);
      }
      assignment = prefix + (named ? text : by_canonical_ids(text, option, container));
    }
  }
  return assignments;
}

void name_by_file_ids(nlohmann::json& summary, Container& container) {
  const VertexLabels labels(container);
  const auto rename = [&](nlohmann::json& vertex) {
    const auto v = vertex.get<VertexId>();
    vertex = labels.named() ? nlohmann::json(labels.name(v)) : nlohmann::json(labels.id(v));
  };
  for (const char* name : {"source", "most_central"}) {
    if (summary.contains(name)) rename(summary[name]);
  }
  for (const char* name : {"sources", "roots"}) {
    // Not radii's `sources`, which is a number.
    if (!summary.contains(name) || !summary[name].is_array()) continue;
    for (nlohmann::json& vertex : summary[name]) rename(vertex);
  }
}

}  // namespace outcore
