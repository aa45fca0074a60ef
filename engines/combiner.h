// SPDX-License-Identifier: Apache-2.0
// Messages that one thread keeps back and combines, until Program::deliver() sends them (after
// Pregel's combiners).
//
// These are the messages to the first vertices of the id space. If ids are by degree, most edges
// lead to these few vertices, and threads that send each message at once constantly take the
// vertices' cache lines from one another.
//
// A combiner belongs to one thread at a time, and to one program. The engine makes it and decides
// how many vertices it has; the program decides what a slot holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/ids.h"

namespace outcore {

class Combiner {
 public:
  Combiner() = default;
  explicit Combiner(VertexId vertices) : vertices_(vertices) {}
  // Messages to [0, vertices()) are kept back.
  [[nodiscard]] VertexId vertices() const { return vertices_; }
  // How many messages are kept back now.
  [[nodiscard]] std::uint64_t held() const { return held_; }

  // For programs: one slot per vertex, initially `nothing`.
  template <typename M>
  M* slots(const M& nothing) {
    if (slots_.empty()) {
      slots_.resize(std::size_t{vertices_} * sizeof(M));
      std::fill_n(reinterpret_cast<M*>(slots_.data()), vertices_, nothing);
      used_.resize((vertices_ + kGroup - 1) / kGroup);
    }
    return reinterpret_cast<M*>(slots_.data());
  }
  void use(VertexId v) { used_[v / kGroup] = 1; }
  void add_held(std::uint64_t messages) { held_ += messages; }
  // Calls f(v) for a set of vertices that includes all that were used since the last call.
  template <typename F>
  void take_used(F&& f) {
    for (std::size_t group = 0; group < used_.size(); ++group) {
      if (std::exchange(used_[group], 0) == 0) continue;
      const auto begin = static_cast<VertexId>(group * kGroup);
      for (VertexId v = begin; v < std::min(vertices_, begin + kGroup); ++v) f(v);
    }
    held_ = 0;
  }

 private:
  static constexpr VertexId kGroup = 64;
  VertexId vertices_ = 0;
  std::uint64_t held_ = 0;
  std::vector<std::byte> slots_;
  std::vector<std::uint8_t> used_;  // one per group of vertices
};

}  // namespace outcore
