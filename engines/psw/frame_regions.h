// SPDX-License-Identifier: Apache-2.0
// The frames, cut into what an interval and a sub-interval take: columns by slot, runs, and the
// arrays of a subgraph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/numa.h"
#include "engines/psw/edge_slots.h"
#include "engines/psw/sub_intervals.h"

namespace outcore {

class FrameRegions {
 public:
  FrameRegions(const EdgeLayout& layout, const SubIntervals::Room& room, std::uint32_t array_bytes)
      : block_bytes_(layout.facts().block_bytes),
        value_bytes_(layout.facts().value_bytes),
        weighted_(layout.file(EdgeColumn::weights).has_value()),
        room_(room),
        // A graph without edges takes nothing, which cannot be allocated.
        bytes_(std::max<std::uint64_t>(
            kAlignment, arrays_offset() + (room.in_edges + room.out_edges) * array_bytes)),
        memory_(numa::allocate(bytes_)) {}

  [[nodiscard]] std::span<std::byte> memory() const { return {memory_.get(), bytes_}; }
  [[nodiscard]] EdgeSlots slots() const {
    std::byte* sources = memory_.get() + targets_bytes();
    std::byte* weights = sources + shard_bytes();
    std::byte* values = weights + (weighted_ ? shard_bytes() : 0);
    return {.targets = reinterpret_cast<VertexId*>(memory_.get()),
            .values = values,
            .value_bytes = value_bytes_,
            .sources = reinterpret_cast<VertexId*>(sources),
            .weights = weighted_ ? reinterpret_cast<float*>(weights) : nullptr};
  }
  // Of the windows, behind those of the memory shard.
  [[nodiscard]] EdgeSlot first_window_slot() const {
    return static_cast<EdgeSlot>(shard_bytes() / sizeof(VertexId));
  }
  [[nodiscard]] std::byte* shard_runs() const { return memory_.get() + runs_offset(); }
  [[nodiscard]] std::byte* window_runs() const {
    return shard_runs() + room_.shard_run_blocks * block_bytes_;
  }
  [[nodiscard]] std::byte* arrays() const { return memory_.get() + arrays_offset(); }

 private:
  [[nodiscard]] std::uint64_t shard_bytes() const { return room_.shard_blocks * block_bytes_; }
  [[nodiscard]] std::uint64_t targets_bytes() const {
    return shard_bytes() + room_.window_blocks * block_bytes_;
  }
  [[nodiscard]] std::uint64_t runs_offset() const {
    return targets_bytes() * (1 + value_bytes_ / sizeof(VertexId)) +
           shard_bytes() * (weighted_ ? 2 : 1);
  }
  [[nodiscard]] std::uint64_t arrays_offset() const {
    return runs_offset() + (room_.shard_run_blocks + room_.row_run_blocks) * block_bytes_;
  }

  std::uint32_t block_bytes_;
  std::uint32_t value_bytes_;
  bool weighted_;
  SubIntervals::Room room_;
  std::uint64_t bytes_;
  numa::Memory memory_;
};

}  // namespace outcore
