// SPDX-License-Identifier: Apache-2.0
// ChunkGraph, section 3.3 "Reordering based chunk layout optimization": vertices that are likely to
// be read together (a vertex, its neighbours, and those next to the same neighbour) stand together.
//
//   P = all vertices by descending in-degree; Q = nothing
//   until Q holds 95% of the vertices: take the head of P as root, go two levels of BFS from it,
//   and move what is met from P to Q in that order; then what is left of P follows in its own order
//
// Out- and in-lists are ordered each for themselves: for in-lists P goes by out-degree and the BFS
// over in-edges. Where the paper is silent: a vertex that is in Q already is not gone through again
// for a later root (that is what removing from P suggests), and equal degrees go by ascending id.
// One thread: each step depends on the one before, and the whole reads every list at most once.
// Memory: 8 bytes and a bit a vertex.
#pragma once

#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

// All layout ids of `graph` in that order.
std::vector<VertexId> two_level_bfs(const NumberedGraph& graph);

}  // namespace outcore
