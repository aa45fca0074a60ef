// SPDX-License-Identifier: Apache-2.0
// ACGraph, section 5.2: after packing, vertices are renumbered so that the index needs no degrees.
// Vertices whose lists are in blocks come first, by position. If a list is not directly followed by
// the next one, a virtual vertex represents the gap. Mini vertices follow by descending degree, and
// vertices without edges come last; equal ones keep their order.
//
// The gap after the last list needs no vertex, because the index ends there. Memory: 4 bytes per
// vertex whose list is in a block, in addition to the arguments and the result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

struct Ranks {
  std::vector<VertexId> original;        // canonical vertex of each new id; kNoVertex: virtual
  std::vector<std::uint64_t> positions;  // of each new id except mini vertices'
  std::vector<VertexId> theta;           // the first id of each degree, from 0 to inline_edges
};

// `positions` is by the ids that `graph` has now. REQUIRES: lists take as many slots as they have
// edges.
Ranks rank_by_position(const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                       unsigned inline_edges);

}  // namespace outcore
