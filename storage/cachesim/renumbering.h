// SPDX-License-Identifier: Apache-2.0
// New numbers for the positions of a full window: the positions that still matter move to its front
// and keep their order. A Renumbering is the set of these; applied to any position, it returns how
// many of them are below. A little more than an eighth of a byte per position of the window.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace outcore {

using Position = std::uint32_t;
inline constexpr Position kNever = std::numeric_limits<Position>::max();

class Renumbering {
 public:
  // For a window of `window` positions, followed by one of `next_window`.
  Renumbering(std::size_t window, std::size_t next_window)
      : words_(window / 64 + 1, 0), next_window_(next_window) {}

  void keep(Position position) { words_[position / 64] |= std::uint64_t{1} << position % 64; }
  // Ends the adding of positions to keep.
  void seal() {
    below_.resize(words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) {
      below_[i] = kept_;
      kept_ += static_cast<Position>(std::popcount(words_[i]));
    }
  }

  [[nodiscard]] Position operator()(Position position) const {
    const std::uint64_t lower = (std::uint64_t{1} << position % 64) - 1;
    return below_[position / 64] +
           static_cast<Position>(std::popcount(words_[position / 64] & lower));
  }
  [[nodiscard]] Position kept() const { return kept_; }
  [[nodiscard]] std::size_t next_window() const { return next_window_; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<Position> below_;  // kept positions before each word
  Position kept_ = 0;
  std::size_t next_window_;
};

}  // namespace outcore
