// SPDX-License-Identifier: Apache-2.0
// Where lists begin when ids are ranks by position (ACGraph, section 5.2): positions that never
// fall from one id to the next, in 4 bytes each. An entry has the low 31 bits of the position, and
// a bit that says whether the id is virtual. The ids at which the higher bits rise are kept
// separately; they are few, one per 8 GB of lists.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace outcore {

class RankedPositions {
 public:
  void reserve(std::size_t ids) { entries_.reserve(ids); }
  // REQUIRES: the position is not below the previous one.
  void add(std::uint64_t position, bool is_virtual) {
    while (rises_.size() < position >> kBits) {
      rises_.push_back(static_cast<std::uint32_t>(entries_.size()));
    }
    const auto low = static_cast<std::uint32_t>(position) & kLow;
    entries_.push_back(low | (is_virtual ? kVirtual : 0));
  }
  // Do positions up to this one take no more than an entry?
  [[nodiscard]] static bool are_low(std::uint64_t last) { return last <= kLow; }
  // REQUIRES: are_low(the last of them); none is virtual.
  void add_low(std::span<const std::uint32_t> positions) {
    entries_.insert(entries_.end(), positions.begin(), positions.end());
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::uint64_t operator[](std::uint32_t id) const {
    const std::uint64_t low = entries_[id] & kLow;
    return rises_.empty() ? low : low | above(id) << kBits;
  }
  // From the position of an id to the next one's; 0 for a virtual id.
  [[nodiscard]] std::uint64_t distance(std::uint32_t id) const {
    return is_virtual(id) ? 0 : (*this)[id + 1] - (*this)[id];
  }
  // The same of each id of [first, last), several at once where no position is high.
  void distances(std::uint32_t first, std::uint32_t last, std::uint32_t* out) const {
    if (!rises_.empty()) {
      for (; first < last; ++first) *out++ = static_cast<std::uint32_t>(distance(first));
      return;
    }
    for (; first < last; ++first) {
      const std::uint32_t entry = entries_[first];
      *out++ = (entry & kVirtual) != 0 ? 0 : (entries_[first + 1] & kLow) - entry;
    }
  }
  [[nodiscard]] bool is_virtual(std::uint32_t id) const { return (entries_[id] & kVirtual) != 0; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (entries_.size() + rises_.size()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr unsigned kBits = 31;
  static constexpr std::uint32_t kVirtual = std::uint32_t{1} << kBits;
  static constexpr std::uint32_t kLow = kVirtual - 1;

  [[nodiscard]] std::uint64_t above(std::uint32_t id) const {
    return static_cast<std::uint64_t>(std::upper_bound(rises_.begin(), rises_.end(), id) -
                                      rises_.begin());
  }

  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> rises_;  // ids from which on positions are 2^31 higher
};

}  // namespace outcore
