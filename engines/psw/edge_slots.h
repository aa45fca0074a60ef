// SPDX-License-Identifier: Apache-2.0
// Where edges lie in memory, as they lie in the files: a *slot* is an edge's place in the columns
// of targets and of values, block by block. The memory shard has the first slots, the windows those
// behind it. What is free behind a cell's edges are slots too, which nobody looks at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/ids.h"

namespace outcore {

using EdgeSlot = std::uint32_t;

struct EdgeSlots {
  VertexId* targets = nullptr;
  std::byte* values = nullptr;
  std::uint32_t value_bytes = 0;
  // Of the memory shard alone.
  VertexId* sources = nullptr;
  float* weights = nullptr;  // null: there are none

  [[nodiscard]] std::byte* value(EdgeSlot slot) const {
    return values + std::size_t{slot} * value_bytes;
  }
  [[nodiscard]] EdgeSlot slot(const std::byte* value) const {
    return static_cast<EdgeSlot>(static_cast<std::size_t>(value - values) / value_bytes);
  }
};

// A memory shard's edges of one cell, or a window's: slots that follow one another.
struct SlotRange {
  EdgeSlot begin = 0;
  EdgeSlot end = 0;
};

}  // namespace outcore
