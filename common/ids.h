// SPDX-License-Identifier: Apache-2.0
// The integer types that name parts of a graph. Vertex ids are dense, start at 0 and fit 32 bits;
// the last 32-bit value is reserved. Edges are counted in 64 bits.
#pragma once

#include <cstdint>
#include <limits>

namespace outcore {

using VertexId = std::uint32_t;
using EdgeIndex = std::uint64_t;
using BlockId = std::uint64_t;

inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();

// Half-open, as everywhere: [begin, end).
struct VertexRange {
  VertexId begin = 0;
  VertexId end = 0;
};

enum class Direction : std::uint8_t { out, in };

}  // namespace outcore
