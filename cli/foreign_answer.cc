// SPDX-License-Identifier: Apache-2.0
#include "cli/foreign_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "common/parse_number.h"
#include "storage/formats/vertex_labels.h"

namespace outcore {

namespace {

// A table by label takes at most this many entries for each vertex.
constexpr std::uint64_t kLabelsPerVertex = 4;
// Above the labels that are numbers of the file, so that a name and a number never meet.
constexpr std::uint64_t kOfName = std::uint64_t{1} << 63;
constexpr double kWholeBelow = 0x1p53;  // a double holds each whole number below

const char* expected_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::count:
      return "a whole number from 0 to 4294967294 (of a vertex that is not reached 4294967295, -1 "
             "or inf)";
    case ValueKind::vertex:
      return "a whole number, the label of the vertex's component";
    case ValueKind::real:
      break;
  }
  return "a number";
}

}  // namespace

ForeignNumber ForeignNumber::of(double value) {
  if (value >= 0 && value < kWholeBelow && value == std::floor(value)) {
    return {value, static_cast<std::uint64_t>(value)};
  }
  return {value, std::nullopt};
}

ForeignNumber ForeignNumber::of(std::int64_t value) {
  if (value >= 0) return of(static_cast<std::uint64_t>(value));
  return {static_cast<double>(value), std::nullopt};
}

ForeignNumber ForeignNumber::of(std::uint64_t value) { return {static_cast<double>(value), value}; }

std::optional<ForeignNumber> ForeignNumber::parse(std::string_view text) {
  if (const auto whole = parse_number<std::uint64_t>(text)) return of(*whole);
  if (const auto real = parse_number<double>(text)) return of(*real);
  return std::nullopt;
}

ForeignAnswer::ForeignAnswer(ValueKind kind, std::filesystem::path file, Container& container,
                             Called called)
    : kind_(kind),
      file_(std::move(file)),
      container_(container),
      finder_(container, called),
      vertices_(container.facts().vertices),
      has_(vertices_) {
  if (kind == ValueKind::count) counts_.resize(vertices_);
  if (kind == ValueKind::vertex) labels_.resize(vertices_);
  if (kind == ValueKind::real) reals_.resize(vertices_);
}

std::optional<ForeignNumber> ForeignAnswer::named_class(std::string_view text) const {
  if (kind_ != ValueKind::vertex || !finder_.named()) return std::nullopt;
  const auto vertex = finder_.by_text(text);
  if (!vertex) return std::nullopt;
  return ForeignNumber::of(kOfName + *vertex);
}

bool ForeignAnswer::set(VertexId v, const ForeignNumber& value) {
  switch (kind_) {
    case ValueKind::count: {
      const bool unreached =
          value.real == -1 || value.real == std::numeric_limits<double>::infinity();
      if (!unreached && !(value.whole && *value.whole <= kNoLevel)) return false;
      counts_[v] = unreached ? kNoLevel : static_cast<std::uint32_t>(*value.whole);
      return true;
    }
    case ValueKind::vertex:
      if (!value.whole) return false;
      labels_[v] = *value.whole;
      return true;
    case ValueKind::real:
      break;
  }
  reals_[v] = static_cast<float>(value.real);
  return true;
}

// Each label becomes the first vertex that has it. Labels are mostly ids of vertices, so a table by
// label holds them; a map, which takes labels of any size, is slower.
std::vector<std::uint32_t> ForeignAnswer::classes() const {
  std::vector<std::uint32_t> result(vertices_);
  const auto name = [&](const auto& first_with) {
    for (VertexId v = 0; v < vertices_; ++v) result[v] = first_with(labels_[v], v);
  };
  const auto largest = std::max_element(labels_.begin(), labels_.end());
  if (largest != labels_.end() && *largest / kLabelsPerVertex < vertices_) {
    std::vector<VertexId> first(*largest + 1, kNoVertex);
    name([&](std::uint64_t label, VertexId v) { return first[label] = std::min(first[label], v); });
  } else {
    std::unordered_map<std::uint64_t, VertexId> first;
    name(
        [&](std::uint64_t label, VertexId v) { return first.try_emplace(label, v).first->second; });
  }
  return result;
}

Answer ForeignAnswer::finish() {
  if (count_ < vertices_) {
    const auto missing = std::find(has_.begin(), has_.end(), false) - has_.begin();
    throw bad_input(Place::file(file_),
                    fmt::format("values of {} vertices, and none of vertex {}", count_,
                                VertexLabels(container_).text(static_cast<VertexId>(missing))),
                    fmt::format("one of each of the {} vertices", vertices_));
  }
  Answer answer{.values = std::vector<std::uint32_t>(), .summary = {}, .foreign = true};
  if (kind_ == ValueKind::real) {
    answer.exact = false;
    answer.values = std::move(reals_);
  } else if (kind_ == ValueKind::vertex) {
    answer.names_vertices = true;
    answer.values = classes();
  } else {
    answer.values = std::move(counts_);
  }
  return answer;
}

std::string ForeignAnswer::real_text(const ForeignNumber& value) {
  return fmt::format("{}", value.real);
}

Error ForeignAnswer::refused(const std::string& found, const Place& place) const {
  return bad_input(place, fmt::format("the value '{}'", found), expected_of(kind_));
}

Error ForeignAnswer::twice(VertexId v, const Place& place) const {
  return bad_input(place, fmt::format("vertex {} again", VertexLabels(container_).text(v)),
                   "one value of each vertex");
}

Error ForeignAnswer::one_more(const Place& place) const {
  return bad_input(place, "one more value", fmt::format("{}, one a vertex", vertices_));
}

Error ForeignAnswer::no_vertex(const std::string& text, const Place& place) const {
  return bad_input(place, fmt::format("vertex '{}'", text),
                   finder_.named() ? "a vertex's name in the imported file" : "a vertex's id",
                   finder_.vertices_there_are());
}

}  // namespace outcore
