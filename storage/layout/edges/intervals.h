// SPDX-License-Identifier: Apache-2.0
// Ids cut into intervals, with the interval of an id in about one step. Memory: 4 bytes an interval
// and 256 KB.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "common/ids.h"

namespace outcore {

class Intervals {
 public:
  Intervals() = default;
  // Interval k is [bounds[k], bounds[k + 1]): ascending, from 0 to the end of the id space.
  explicit Intervals(std::vector<VertexId> bounds) : bounds_(std::move(bounds)) {
    constexpr unsigned kSteps = 16;
    const unsigned bits = std::bit_width(bounds_.back());
    shift_ = bits > kSteps ? bits - kSteps : 0;
    std::uint32_t k = 0;
    for (std::uint64_t v = 0; v < bounds_.back(); v += std::uint64_t{1} << shift_) {
      while (v >= bounds_[k + 1]) ++k;
      near_.push_back(k);
    }
  }

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(bounds_.size()) - 1;
  }
  [[nodiscard]] VertexRange operator[](std::uint32_t k) const {
    return {bounds_[k], bounds_[k + 1]};
  }
  [[nodiscard]] std::uint32_t of(VertexId v) const {
    std::uint32_t k = near_[v >> shift_];
    while (v >= bounds_[k + 1]) ++k;
    return k;
  }
  [[nodiscard]] std::span<const VertexId> bounds() const { return bounds_; }

 private:
  std::vector<VertexId> bounds_;
  std::vector<std::uint32_t> near_;  // of id i << shift_: its interval
  unsigned shift_ = 0;
};

}  // namespace outcore
