// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

#include "common/error.h"

namespace outcore {

namespace {

// The whole text as a number; nothing when it is anything else.
template <typename T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void check_value(const std::string& workload, const ParameterSpec& spec, const std::string& text) {
  const auto& choices = spec.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
  const bool vertex = spec.kind == ParameterSpec::Kind::vertex;
  if (vertex || spec.kind == ParameterSpec::Kind::text) {
    if (choices.empty() || (vertex && number<std::uint64_t>(text))) return;
    throw usage_error(fmt::format("{} {}={}: expected {}{}", workload, spec.name, text,
                                  vertex ? "a vertex id, or " : "one of ",
                                  fmt::join(choices, ", ")));
  }
  const bool whole = spec.kind == ParameterSpec::Kind::whole;
  const std::optional<double> value = number<double>(text);
  const bool wanted_kind = !whole || number<std::uint64_t>(text);
  // Not a number (nan) is in no range.
  if (value && wanted_kind && *value >= spec.least && *value <= spec.most) return;
  throw usage_error(fmt::format("{} {}={}: expected {}{}a {}number from {} to {}", workload,
                                spec.name, text, fmt::join(choices, ", "),
                                choices.empty() ? "" : ", or ", whole ? "whole " : "", spec.least,
                                spec.most));
}

}  // namespace

Parameters::Parameters(const std::string& workload, const std::vector<ParameterSpec>& specs,
                       const std::vector<std::string>& assignments) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : specs) {
    values_[spec.name] = spec.fallback;
    names.push_back(spec.name);
  }
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) {
      throw usage_error(fmt::format("--set {}: write name=value", assignment));
    }
    const std::string name = assignment.substr(0, equals);
    if (specs.empty()) {
      throw usage_error(fmt::format("{} takes no parameters, not '{}' either", workload, name));
    }
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const ParameterSpec& s) { return s.name == name; });
    if (spec == specs.end()) throw unknown_name("parameter of " + workload, name, names);
    values_[name] = assignment.substr(equals + 1);
    check_value(workload, *spec, values_[name]);
  }
}

const std::string& Parameters::text(const std::string& name) const { return values_.at(name); }

std::uint64_t Parameters::whole(const std::string& name) const {
  return number<std::uint64_t>(values_.at(name)).value();
}

double Parameters::real(const std::string& name) const {
  return number<double>(values_.at(name)).value();
}

nlohmann::json Parameters::json() const { return values_; }

std::size_t Answer::size() const {
  return std::visit([](const auto& column) { return column.size(); }, values);
}

std::string Answer::digest() const {
  return std::visit(
      [](const auto& column) { return hash_text(hash_bytes(std::as_bytes(std::span(column)))); },
      values);
}

std::uint64_t StateArray::bytes(const Graph& graph, const Parameters& parameters) const {
  const std::uint64_t count = of.empty() ? graph.id_space : parameters.whole(of);
  return static_cast<std::uint64_t>(bytes_each * static_cast<double>(count));
}

std::string missing(const EngineTraits& engine, const Workload& workload) {
  if (workload.needs_heads && engine.heads == Heads::none) {
    return "heads, the first neighbours of every vertex";
  }
  if (workload.needs_drive && !engine.drive) return "drive, tasks that each follow lists";
  if (workload.counts_rounds && engine.round != Visibility::round) {
    return "rounds of which each sees only what earlier ones wrote";
  }
  return {};
}

std::string missing(const EngineTraits& engine, const OpenedGraph& graph,
                    const Workload& workload) {
  if (workload.needs_heads && engine.heads == Heads::layout && graph.choices().heads == 0) {
    return "heads, the first neighbours of every vertex, from this layout; build it with --heads 2";
  }
  return missing(engine, workload);
}

template <typename T>
Verdict compare(const std::string& how, const std::vector<T>& found,
                const std::vector<T>& expected) {
  if (found.size() != expected.size()) {
    return {how, false, fmt::format("{} values for {} vertices", found.size(), expected.size())};
  }
  const auto [a, b] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (a == found.end()) return {how, true, {}};
  return {how, false, fmt::format("vertex {}: found {}, expected {}", a - found.begin(), *a, *b)};
}

template Verdict compare(const std::string&, const std::vector<std::uint32_t>&,
                         const std::vector<std::uint32_t>&);
template Verdict compare(const std::string&, const std::vector<float>&, const std::vector<float>&);

}  // namespace outcore
