// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "common/error.h"
#include "common/hash.h"

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
  if (spec.kind == ParameterSpec::Kind::text) return;
  const bool whole = spec.kind == ParameterSpec::Kind::whole;
  const std::optional<double> value = number<double>(text);
  const bool wanted_kind = !whole || number<std::uint64_t>(text);
  // Not a number (nan) is in no range.
  if (value && wanted_kind && *value >= spec.least && *value <= spec.most) return;
  throw usage_error(fmt::format("{} {}={}: expected a {}number from {} to {}", workload, spec.name,
                                text, whole ? "whole " : "", spec.least, spec.most));
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

namespace {

struct SourceText {
  enum class Kind : std::uint8_t { max_degree, random, id } kind = Kind::id;
  std::uint64_t number = 0;
};

SourceText parse_source(const std::string& text) {
  if (text == "max-degree") return {SourceText::Kind::max_degree, 0};
  const std::string prefix = "random:";
  const bool random = text.starts_with(prefix);
  const std::string digits = random ? text.substr(prefix.size()) : text;
  const std::optional<std::uint64_t> value = number<std::uint64_t>(digits);
  if (!value) {
    throw usage_error(
        fmt::format("--source {}: write max-degree, random:SEED or a vertex id", text));
  }
  return {random ? SourceText::Kind::random : SourceText::Kind::id, *value};
}

[[noreturn]] void throw_no_source(const SourceText& source) {
  throw usage_error(source.kind == SourceText::Kind::id
                        ? fmt::format("--source {}: there is no such vertex", source.number)
                        : std::string("--source: no vertex of this graph has an edge"));
}

// `degree` and `original` by id; both forms of find_source choose alike.
template <typename Degree, typename Original>
VertexId choose(const SourceText& source, VertexId ids, Degree&& degree, Original&& original) {
  VertexId best = kNoVertex;
  std::uint64_t best_rank = 0;
  for (VertexId v = 0; v < ids; ++v) {
    if (original(v) == kNoVertex) continue;
    if (source.kind == SourceText::Kind::id) {
      if (original(v) == source.number) return v;
      continue;
    }
    const std::uint64_t d = degree(v);
    if (d == 0) continue;
    const std::uint64_t rank =
        source.kind == SourceText::Kind::max_degree ? d : mix(mix(source.number) ^ original(v));
    const bool better = best == kNoVertex || rank > best_rank ||
                        (rank == best_rank && original(v) < original(best));
    if (better) {
      best = v;
      best_rank = rank;
    }
  }
  if (best == kNoVertex) throw_no_source(source);
  return best;
}

}  // namespace

VertexId find_source(Engine& engine, const std::string& text) {
  const Graph& graph = engine.graph();
  std::vector<std::uint32_t> degrees(graph.id_space);
  engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> part) {
    std::copy(part.begin(), part.end(), degrees.begin() + range.begin);
  });
  return choose(
      parse_source(text), graph.id_space, [&](VertexId v) { return degrees[v]; },
      [&](VertexId v) { return graph.original(v); });
}

VertexId find_source(const CsrView& out, const std::string& text) {
  return choose(
      parse_source(text), out.vertices(), [&](VertexId v) { return out.degree(v); },
      [](VertexId v) { return v; });
}

void check_source(const std::string& text, VertexId vertices, EdgeIndex edges) {
  const SourceText source = parse_source(text);
  const bool there = source.kind == SourceText::Kind::id ? source.number < vertices : edges > 0;
  if (!there) throw_no_source(source);
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
