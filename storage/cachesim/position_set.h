// SPDX-License-Identifier: Apache-2.0
// A set of numbers below a bound that finds the largest one not above a given number. It has one
// bit per number and, above these, levels of words in which each bit says that a word below is not
// empty. A search looks at one word if the answer is near, otherwise at two per level. 1.02 bits
// per number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace outcore {

class PositionSet {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit PositionSet(std::size_t bound = 1) {
    for (std::size_t words = bound; words > 1 || levels_.empty();) {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    }
  }

  void insert(std::size_t number) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[number / 64];
      const bool known = word != 0;  // the levels above know it
      word |= std::uint64_t{1} << number % 64;
      if (known) return;
      number /= 64;
    }
  }

  void erase(std::size_t number) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[number / 64];
      word &= ~(std::uint64_t{1} << number % 64);
      if (word != 0) return;
      number /= 64;
    }
  }

  // The largest number of the set that is at most `number`; kNone if there is none.
  [[nodiscard]] std::size_t at_most(std::size_t number) const {
    std::uint64_t found = levels_[0][number / 64] << (63 - number % 64);
    if (found != 0) return number - static_cast<std::size_t>(std::countl_zero(found));
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      number /= 64;
      found = levels_[level][number / 64] & ((std::uint64_t{1} << number % 64) - 1);
      if (found != 0) return last_below(level, number / 64 * 64 + highest(found));
    }
    return kNone;
  }

  // Calls f(number) for each number, ascending.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < levels_[0].size(); ++i) {
      for (std::uint64_t rest = levels_[0][i]; rest != 0; rest &= rest - 1) {
        f(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  static std::size_t highest(std::uint64_t word) {
    return 63 - static_cast<std::size_t>(std::countl_zero(word));
  }
  // The largest number below entry `entry` of a level. REQUIRES: the entry is not empty.
  [[nodiscard]] std::size_t last_below(std::size_t level, std::size_t entry) const {
    while (level-- > 0) entry = entry * 64 + highest(levels_[level][entry]);
    return entry;
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // levels_[0] has the numbers themselves
};

}  // namespace outcore
