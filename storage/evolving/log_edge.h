// SPDX-License-Identifier: Apache-2.0
// An update as it lies in the edge log, and a neighbour as it lies in buffers and chains. The top
// bit of the target, or of the neighbour, says that one copy of the edge is removed. So a removal
// costs what an insertion costs, and a store in memory has at most 2^31 - 1 vertices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/ids.h"
#include "storage/evolving/update.h"

namespace outcore::evolving {

inline constexpr std::uint32_t kRemoval = std::uint32_t{1} << 31;
inline constexpr VertexId kMostVertices = kRemoval - 1;

struct LogEdge {
  std::uint32_t source = 0;
  std::uint32_t target = 0;  // with kRemoval
};
static_assert(sizeof(LogEdge) == 8);

// A neighbour, with kRemoval.
using Entry = std::uint32_t;

constexpr bool removes(Entry entry) { return (entry & kRemoval) != 0; }
constexpr VertexId neighbour(Entry entry) { return entry & ~kRemoval; }
constexpr LogEdge as_logged(const Update& update) {
  return {update.source, update.target | (update.removes ? kRemoval : 0)};
}
constexpr Update as_update(const LogEdge& edge) {
  return {edge.source, neighbour(edge.target), removes(edge.target)};
}

// What a store must know of edges before it takes them.
struct EdgeFacts {
  VertexId greatest = 0;
  std::uint64_t removals = 0;
};
inline EdgeFacts facts_of(std::span<const LogEdge> edges) {
  // Signed, which processors compare many at once; the bits say whether a source had the top one.
  std::int32_t greatest = 0;
  std::uint32_t sources = 0;
  std::uint64_t removals = 0;
  for (const LogEdge& edge : edges) {
    greatest = std::max(greatest, static_cast<std::int32_t>(edge.source & ~kRemoval));
    greatest = std::max(greatest, static_cast<std::int32_t>(neighbour(edge.target)));
    sources |= edge.source;
    removals += edge.target >> 31;
  }
  return {removes(sources) ? kNoVertex : static_cast<VertexId>(greatest), removals};
}

}  // namespace outcore::evolving
