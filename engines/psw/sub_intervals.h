// SPDX-License-Identifier: Apache-2.0
// How intervals are cut where a subgraph is more than the budget (GraphChi cuts by degrees, too).
//
// The memory shard of an interval is there whole, and so are the runs of its windows, by which
// these are found. What frames are left takes the windows and the arrays of edges of one
// *sub-interval* at a time: the next vertices of the interval whose in- and out-edges fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"
#include "storage/layout/edges/edge_layout.h"

namespace outcore {

class SubIntervals {
 public:
  // `array_bytes` an edge and side of a subgraph. Throws a usage Error that names the frames that
  // go, and the P that goes where that helps.
  SubIntervals(const EdgeLayout& layout, std::uint32_t array_bytes, std::uint64_t frames_bytes);

  // Of an interval, ascending, which they cover. One at least.
  [[nodiscard]] std::span<const VertexRange> of(std::uint32_t interval) const {
    return std::span(all_).subspan(first_[interval], first_[interval + 1] - first_[interval]);
  }

  // The most that any interval, or sub-interval, takes.
  struct Room {
    std::uint64_t shard_blocks = 0;      // of targets
    std::uint64_t shard_run_blocks = 0;  // of runs
    std::uint64_t row_run_blocks = 0;    // of all windows' runs
    std::uint64_t window_blocks = 0;     // of windows' targets
    std::uint64_t in_edges = 0;
    std::uint64_t out_edges = 0;
    VertexId vertices = 0;
  };
  [[nodiscard]] const Room& room() const { return room_; }

 private:
  void measure_intervals();
  [[nodiscard]] std::uint64_t whole_bytes() const;
  void cut(std::uint32_t interval, std::uint64_t room_bytes);
  [[nodiscard]] std::uint64_t bytes_of(VertexId v) const;
  // Blocks of targets that an interval's windows begin or end with, beside those that are full.
  [[nodiscard]] std::uint64_t border_blocks(std::uint32_t interval) const;
  [[nodiscard]] std::uint64_t border_bytes(std::uint32_t interval) const;
  [[noreturn]] void refuse(std::uint64_t frames_bytes, std::uint64_t needed) const;
  [[nodiscard]] std::uint32_t fitting_intervals(std::uint64_t frames_bytes) const;

  const EdgeLayout& layout_;
  std::uint32_t array_bytes_;
  std::uint32_t slot_bytes_;  // of a window's edge: its target and its value
  Room room_;
  std::vector<VertexRange> all_;
  std::vector<std::size_t> first_ = {0};  // in all_, of each interval, and behind the last
};

}  // namespace outcore
