// SPDX-License-Identifier: Apache-2.0
// The memory shard: all in-edges of the interval under way, sorted by source, with the value on
// each (LOSC, section 2.2). The part of it whose sources lie in the interval too is the interval's
// own window, and goes back with the windows.
#pragma once

#include <algorithm>
#include <vector>

#include "common/executor.h"
#include "engines/psw/edge_slots.h"
#include "engines/psw/transfers.h"
#include "storage/layout/edges/edge_values.h"

namespace outcore {

class MemoryShard {
 public:
  // Slots from 0 on; `runs` has room for those of any shard.
  MemoryShard(const EdgeLayout& layout, const EdgeValues& values, const EdgeSlots& slots,
              std::byte* runs)
      : layout_(layout), values_(values), slots_(slots), runs_(runs) {}

  // Asks for what does not change, and for the values. They are there after finish_reads().
  void load_edges(std::uint32_t interval, Transfers& transfers);
  void load_values(Transfers& transfers);
  // Writes the source of each edge beside it. REQUIRES: the edges are there.
  void expand_sources(Executor& executor);
  // Does the interval's own window have an edge whose source is in the range and f(source) holds?
  template <typename F>
  [[nodiscard]] bool any_source(VertexRange range, const F& f) const {
    const SlotRange own = own_window();
    const VertexId* begin = slots_.sources + own.begin;
    const VertexId* end = slots_.sources + own.end;
    const VertexId* at = std::lower_bound(begin, end, range.begin);
    for (; at < end && *at < range.end; ++at) {
      if (f(*at)) return true;
    }
    return false;
  }
  // The interval's own window goes back.
  void write_back(Transfers& transfers);

  [[nodiscard]] std::uint32_t interval() const { return interval_; }
  [[nodiscard]] EdgeIndex edges() const { return edges_; }
  // The edges from an interval.
  [[nodiscard]] SlotRange cell(std::uint32_t row) const { return cells_[row]; }
  [[nodiscard]] SlotRange own_window() const { return cells_[interval_]; }

 private:
  [[nodiscard]] std::uint64_t blocks() const { return end_block_ - first_block_; }

  const EdgeLayout& layout_;
  const EdgeValues& values_;
  EdgeSlots slots_;
  std::byte* runs_;
  std::uint32_t interval_ = 0;
  EdgeIndex edges_ = 0;
  BlockId first_block_ = 0;  // of targets
  BlockId end_block_ = 0;
  std::vector<SlotRange> cells_;  // by row
};

}  // namespace outcore
