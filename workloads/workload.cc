// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  const bool vertex = spec.kind == ParameterSpec::Kind::vertex;
  if (vertex || spec.kind == ParameterSpec::Kind::text) {
    const auto& choices = spec.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end()) return;
    if (vertex && number<std::uint64_t>(text)) return;
    throw usage_error(fmt::format("{} {}={}: expected {}{}", workload, spec.name, text,
                                  vertex ? "a vertex id, or " : "one of ",
                                  fmt::join(choices, ", ")));
  }
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

std::uint64_t StateArray::bytes(const Graph& graph, const Parameters& parameters) const {
  const std::uint64_t count = of.empty() ? graph.id_space : parameters.whole(of);
  return static_cast<std::uint64_t>(bytes_each * static_cast<double>(count));
}

std::string missing(const Capabilities& engine, const Workload& workload) {
  if (workload.needs_heads && !engine.heads) {
    return "heads, the first neighbours of every vertex, from this layout; build one that has them "
           "with 'outcore layout GRAPH --heads 2'";
  }
  if (workload.needs_drive && !engine.drive) return "drive, tasks that each follow lists";
  if (workload.counts_rounds && engine.round != Visibility::round) {
    return "rounds of which each sees only what earlier ones wrote";
  }
  return {};
}

ParameterSpec source_parameter() {
  return {"source", "max-degree", "max-degree, random:SEED or a vertex id",
          ParameterSpec::Kind::vertex};
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

// `degree` and `original` by id; both forms of find_sources choose alike. The first `count` of the
// vertices that have edges, by degree or by a hash, ties by original id.
template <typename Degree, typename Original>
std::vector<VertexId> ranked(const SourceText& source, VertexId ids, std::size_t count,
                             Degree&& degree, Original&& original) {
  struct Candidate {
    std::uint64_t rank;
    VertexId original;
    VertexId v;
  };
  const auto sooner = [](const Candidate& a, const Candidate& b) {
    return a.rank > b.rank || (a.rank == b.rank && a.original < b.original);
  };
  const bool by_degree = source.kind == SourceText::Kind::max_degree;
  std::vector<Candidate> best;  // a heap, the last of them on top
  std::uint64_t least = 1;      // degree that can still be among them
  for (VertexId v = 0; v < ids; ++v) {
    const std::uint64_t d = degree(v);
    if (d < least || original(v) == kNoVertex) continue;
    const Candidate candidate{by_degree ? d : mix(mix(source.number) ^ original(v)), original(v),
                              v};
    if (best.size() == count) {
      if (!sooner(candidate, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), sooner);
      best.pop_back();
    }
    best.push_back(candidate);
    std::push_heap(best.begin(), best.end(), sooner);
    if (by_degree && best.size() == count) least = best.front().rank;
  }
  std::sort_heap(best.begin(), best.end(), sooner);
  std::vector<VertexId> vertices;
  for (const Candidate& candidate : best) vertices.push_back(candidate.v);
  return vertices;
}

template <typename Degree, typename Original>
std::vector<VertexId> choose(const std::string& text, VertexId ids, std::size_t count,
                             Degree&& degree, Original&& original) {
  const SourceText source = parse_source(text);
  std::vector<VertexId> chosen;
  if (source.kind != SourceText::Kind::id) {
    chosen = ranked(source, ids, count, degree, original);
  } else if (count > 1) {
    throw usage_error(
        fmt::format("--source {}: that is one vertex and {} are wanted; write "
                    "max-degree or random:SEED",
                    text, count));
  } else {
    for (VertexId v = 0; v < ids && chosen.empty(); ++v) {
      if (original(v) == source.number && original(v) != kNoVertex) chosen.push_back(v);
    }
  }
  if (chosen.empty()) throw_no_source(source);
  return chosen;
}

}  // namespace

std::vector<VertexId> find_sources(Engine& engine, const std::string& text, std::size_t count) {
  const Graph& graph = engine.graph();
  std::vector<std::uint32_t> degrees;
  if (parse_source(text).kind != SourceText::Kind::id) degrees = out_degrees<std::uint32_t>(engine);
  return choose(
      text, graph.id_space, count, [&](VertexId v) { return degrees[v]; },
      [&](VertexId v) { return graph.original(v); });
}

std::vector<VertexId> find_sources(const CsrView& out, const std::string& text, std::size_t count) {
  return choose(
      text, out.vertices(), count, [&](VertexId v) { return out.degree(v); },
      [](VertexId v) { return v; });
}

VertexId find_source(Engine& engine, const std::string& text) {
  return find_sources(engine, text, 1).front();
}

VertexId find_source(const CsrView& out, const std::string& text) {
  return find_sources(out, text, 1).front();
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
