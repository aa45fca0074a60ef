// SPDX-License-Identifier: Apache-2.0
// Where lists begin when they lie one behind the other by id, as in plain CSR: behind all before,
// so their lengths are enough. 2 bytes a list, and the position of every 16th in 8: finding one
// adds up to 15 lengths, of one or two cache lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace outcore {

class RunningPositions {
 public:
  // An entry that says that the length stands elsewhere, being this or more.
  static constexpr std::uint16_t kLong = 0xffff;

  RunningPositions() = default;
  // long_length(id) gives the length of a list whose entry is kLong.
  template <typename LongLength>
  RunningPositions(std::vector<std::uint16_t> lengths, LongLength&& long_length)
      : lengths_(std::move(lengths)) {
    begins_.reserve((lengths_.size() + kGroup - 1) / kGroup);
    std::uint64_t position = 0;
    for (std::size_t first = 0; first < lengths_.size(); first += kGroup) {
      const std::size_t end = std::min(first + kGroup, lengths_.size());
      begins_.push_back(position);
      for (std::size_t id = first; id < end; ++id) {
        position += length(id, long_length);
        if (lengths_[id] == kLong) begins_.back() |= kHasLong;
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return lengths_.size(); }
  [[nodiscard]] std::uint16_t entry(std::size_t id) const { return lengths_[id]; }
  template <typename LongLength>
  [[nodiscard]] std::uint64_t position(std::size_t id, LongLength&& long_length) const {
    const std::uint64_t begin = begins_[id / kGroup];
    std::uint64_t position = begin & ~kHasLong;
    if ((begin & kHasLong) != 0) {
      for (std::size_t i = id / kGroup * kGroup; i < id; ++i) position += length(i, long_length);
      return position;
    }
    std::uint32_t before = 0;
    for (std::size_t i = id / kGroup * kGroup; i < id; ++i) before += lengths_[i];
    return position + before;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return lengths_.size() * sizeof(std::uint16_t) + begins_.size() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::size_t kGroup = 16;
  static constexpr std::uint64_t kHasLong = std::uint64_t{1} << 63;  // a list of the group is long

  template <typename LongLength>
  [[nodiscard]] std::uint64_t length(std::size_t id, LongLength&& long_length) const {
    return lengths_[id] == kLong ? long_length(static_cast<VertexId>(id)) : lengths_[id];
  }

  std::vector<std::uint16_t> lengths_;
  std::vector<std::uint64_t> begins_;  // of each group, with kHasLong
};

}  // namespace outcore
