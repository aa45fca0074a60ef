// SPDX-License-Identifier: Apache-2.0
// Messages sorted into bins by ranges of targets (binning, after Blaze), so that one thread can
// then apply each bin without atomics.
//
// A bin is a sequence of records without gaps: the target's id, then the message, both unaligned.
// Program::bin() writes them, Program::drain() reads them. Bins belong to one thread; an engine may
// take a bin's buffer out and give it to another thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "common/ids.h"
#include "common/unfilled.h"

namespace outcore {

class Bins {
 public:
  using Buffer = Unfilled<std::byte>;

  Bins(std::size_t bins, VertexId vertices_per_bin) : bins_(bins), per_bin_(vertices_per_bin) {}
  template <typename M>
  void put(VertexId v, const M& message) {
    Buffer& bin = bins_[v / per_bin_];
    const std::size_t at = bin.size();
    bin.resize(at + sizeof(VertexId) + sizeof(M));
    std::memcpy(bin.data() + at, &v, sizeof(v));
    std::memcpy(bin.data() + at + sizeof(v), &message, sizeof(M));
  }
  [[nodiscard]] Buffer& bin(std::size_t i) { return bins_[i]; }
  [[nodiscard]] std::size_t size() const { return bins_.size(); }

 private:
  std::vector<Buffer> bins_;
  VertexId per_bin_;
};

}  // namespace outcore
