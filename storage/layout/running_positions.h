// SPDX-License-Identifier: Apache-2.0
// Where lists begin when they are stored in the order of ids without gaps, as in plain CSR: the
// lengths are enough. 2 bytes per list, plus the position of every 16th list in 8 bytes. Finding a
// list adds the lengths of the earlier lists in its group, in a loop that compilers vectorise.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace outcore {

class RunningPositions {
 public:
  // An entry that says that the length, which is at least this, is stored elsewhere.
  static constexpr std::uint16_t kLong = 0xffff;

  RunningPositions() = default;
  // long_length(id) returns the length of a list whose entry is kLong.
  template <typename LongLength>
  RunningPositions(std::vector<std::uint16_t> lengths, LongLength&& long_length)
      : lengths_(std::move(lengths)) {
    begins_.reserve((lengths_.size() + kGroup - 1) / kGroup);
    std::uint64_t position = 0;
    for (std::size_t id = 0; id < lengths_.size(); ++id) {
      if (id % kGroup == 0) begins_.push_back(position);
      if (lengths_[id] == kLong) begins_.back() |= kIrregular;
      position += length(id, long_length);
    }
    if (lengths_.size() % kGroup != 0) begins_.back() |= kIrregular;
  }

  [[nodiscard]] std::size_t size() const { return lengths_.size(); }
  [[nodiscard]] std::uint16_t entry(std::size_t id) const { return lengths_[id]; }
  template <typename LongLength>
  [[nodiscard]] std::uint64_t position(std::size_t id, LongLength&& long_length) const {
    const std::uint64_t begin = begins_[id / kGroup];
    const std::size_t first = id / kGroup * kGroup;
    if ((begin & kIrregular) != 0) {
      std::uint64_t position = begin & ~kIrregular;
      for (std::size_t i = first; i < id; ++i) position += length(i, long_length);
      return position;
    }
    const std::uint16_t* const lengths = &lengths_[first];
    const auto before_it = static_cast<std::uint32_t>(id - first);
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < kGroup; ++i) before += lengths[i] * std::uint32_t{i < before_it};
    return begin + before;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return lengths_.size() * sizeof(std::uint16_t) + begins_.size() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::size_t kGroup = 16;
  // The group has a long list, or it is the last group and not full.
  static constexpr std::uint64_t kIrregular = std::uint64_t{1} << 63;

  template <typename LongLength>
  [[nodiscard]] std::uint64_t length(std::size_t id, LongLength&& long_length) const {
    return lengths_[id] == kLong ? long_length(static_cast<VertexId>(id)) : lengths_[id];
  }

  std::vector<std::uint16_t> lengths_;
  std::vector<std::uint64_t> begins_;  // of each group, with kIrregular
};

}  // namespace outcore
