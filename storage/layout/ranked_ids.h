// SPDX-License-Identifier: Apache-2.0
// Some of many ids, and how many of them come before each one: what an index of few lists needs to
// find an entry. 12 bytes for 64 ids, whether they belong to it or not.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace outcore {

class RankedIds {
 public:
  // REQUIRES: ids ascend.
  void add(VertexId id) {
    while (bits_.size() <= id / 64) {
      bits_.push_back(0);
      before_.push_back(count_);
    }
    bits_.back() |= std::uint64_t{1} << (id % 64);
    ++count_;
    end_ = id + 1;
  }

  // All ids are below.
  [[nodiscard]] VertexId end() const { return end_; }
  // REQUIRES of both: id < end().
  [[nodiscard]] bool contains(VertexId id) const { return (bits_[id / 64] >> (id % 64) & 1) != 0; }
  [[nodiscard]] std::uint32_t rank(VertexId id) const {
    const std::uint64_t lower = bits_[id / 64] & ((std::uint64_t{1} << (id % 64)) - 1);
    return before_[id / 64] + static_cast<std::uint32_t>(std::popcount(lower));
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return bits_.size() * sizeof(std::uint64_t) + before_.size() * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_;  // ids in earlier words
  std::uint32_t count_ = 0;
  VertexId end_ = 0;
};

}  // namespace outcore
