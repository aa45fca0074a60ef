// SPDX-License-Identifier: Apache-2.0
// Collects the answer of another program, one value a vertex in any order, and refuses what cannot
// be one: a value that is none, a vertex that is none, two values of a vertex, none of a vertex.
//
// Values are as the workload has them (ValueKind). Where another program may write the same thing
// otherwise, it may do so here:
//
//   count    a whole number, also as 3.0; a vertex that is not reached has 4294967295, -1 or inf
//   vertex   any label of a vertex's class: vertices of the same class have the same label. In the
//            answer the label is the smallest vertex of the class, as our components have it
//   real     a number, inf, nan
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/vertex_ids.h"
#include "common/error.h"
#include "workloads/workload.h"

namespace outcore {

// A number as a file has it; `whole` where it is a whole number that u64 holds.
struct ForeignNumber {
  double real = 0;
  std::optional<std::uint64_t> whole;

  static ForeignNumber of(double value);
  static ForeignNumber of(std::int64_t value);
  static ForeignNumber of(std::uint64_t value);
  // Nothing if the text is no number.
  static std::optional<ForeignNumber> parse(std::string_view text);
};

class ForeignAnswer {
 public:
  ForeignAnswer(ValueKind kind, std::filesystem::path file, Container& container, Called called);

  // `place` is where the value stands, for messages; it is called only for those.
  template <typename PlaceOf>
  void put(VertexId v, const ForeignNumber& value, const PlaceOf& place) {
    if (has_[v]) throw twice(v, place());
    if (!set(v, value))
      throw refused(value.whole ? std::to_string(*value.whole) : real_text(value), place());
    has_[v] = true;
    ++count_;
  }

  // The vertex whose value stands next in a file that names none. Throws when there is no further
  // one.
  template <typename PlaceOf>
  VertexId next(const PlaceOf& place) {
    if (count_ < vertices_) return static_cast<VertexId>(count_);
    throw one_more(place());
  }
  template <typename PlaceOf>
  VertexId find(std::uint64_t id, const PlaceOf& place) const {
    if (const auto vertex = finder_.by_id(id)) return *vertex;
    throw no_vertex(std::to_string(id), place());
  }
  template <typename PlaceOf>
  VertexId find(std::string_view text, const PlaceOf& place) const {
    if (const auto vertex = finder_.by_text(text)) return *vertex;
    throw no_vertex(std::string(text), place());
  }
  // As a number; in a graph whose vertices have names, a vertex may stand for its class by its
  // name.
  template <typename PlaceOf>
  ForeignNumber number(std::string_view text, const PlaceOf& place) const {
    if (const auto found = named_class(text)) return *found;
    if (const auto found = ForeignNumber::parse(text)) return *found;
    throw refused(std::string(text), place());
  }

  // Throws when a vertex has no value.
  Answer finish();

 private:
  [[nodiscard]] std::optional<ForeignNumber> named_class(std::string_view text) const;
  bool set(VertexId v, const ForeignNumber& value);
  [[nodiscard]] std::vector<std::uint32_t> classes() const;
  [[nodiscard]] static std::string real_text(const ForeignNumber& value);
  [[nodiscard]] Error refused(const std::string& found, const Place& place) const;
  [[nodiscard]] Error twice(VertexId v, const Place& place) const;
  [[nodiscard]] Error one_more(const Place& place) const;
  [[nodiscard]] Error no_vertex(const std::string& text, const Place& place) const;

  ValueKind kind_;
  std::filesystem::path file_;
  Container& container_;
  VertexFinder finder_;
  VertexId vertices_;
  std::uint64_t count_ = 0;  // vertices that have a value
  std::vector<bool> has_;
  std::vector<std::uint32_t> counts_;  // by kind, one of these
  std::vector<std::uint64_t> labels_;
  std::vector<float> reals_;
};

}  // namespace outcore
