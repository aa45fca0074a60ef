// SPDX-License-Identifier: Apache-2.0
// Makes the index of lists that lie one behind the other in the order of ids, from their lengths,
// as the lists come: form `lengths`, or `sparse` where most vertices have none (list_index.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/layout/list_index.h"

namespace outcore {

class LengthsIndex {
 public:
  // REQUIRES: lengths or sparse.
  explicit LengthsIndex(IndexForm form, std::uint32_t slots_per_block = 1024) {
    parts_.form = form;
    parts_.slots_per_block = slots_per_block;
  }

  // REQUIRES: vertices ascend, and their lists are not empty.
  void add(VertexId v, std::uint64_t length) {
    if (parts_.form == IndexForm::sparse) {
      parts_.ids.add(v);
    } else {
      lengths_.resize(v, 0);
    }
    constexpr std::uint64_t kLong = RunningPositions::kLong;
    if (length >= kLong) {
      parts_.longs.emplace(static_cast<VertexId>(lengths_.size()), LongList{length, length});
    }
    lengths_.push_back(static_cast<std::uint16_t>(std::min(length, kLong)));
  }

  // The index. Nothing is added any more.
  [[nodiscard]] ListIndex finish() {
    lengths_.shrink_to_fit();
    parts_.running = RunningPositions(
        std::move(lengths_), [this](VertexId entry) { return parts_.longs.at(entry).degree; });
    return ListIndex(std::move(parts_));
  }

 private:
  ListIndex::Parts parts_;
  std::vector<std::uint16_t> lengths_;
};

}  // namespace outcore
