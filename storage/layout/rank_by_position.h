// SPDX-License-Identifier: Apache-2.0
// ACGraph, section 5.2: after packing, vertices are numbered once more, so that the index needs no
// degrees. Vertices whose lists lie in blocks come first, by position; where a list is not followed
// at once by the next one, a virtual vertex stands for the gap. Mini vertices follow by descending
// degree, those without edges last; equal ones keep their order.
//
// The gap behind the last list needs no vertex, for the index ends there. Memory: 4 bytes a vertex
// whose list lies in a block, beside what it returns and is given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

struct Ranks {
  std::vector<VertexId> original;        // canonical vertex of each new id, kNoVertex: virtual
  std::vector<std::uint64_t> positions;  // of each new id that is not a mini vertex's
  std::vector<VertexId> theta;           // the first id of each degree, from 0 to inline_edges
};

// `positions` by the ids that `graph` has now; lists take as many slots as they have edges.
Ranks rank_by_position(const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                       unsigned inline_edges);

}  // namespace outcore
