// SPDX-License-Identifier: Apache-2.0
// ChunkGraph, section 3.3 "Reordering based chunk layout optimization": vertices that are likely to
// be read together (a vertex, its neighbours, and vertices next to the same neighbour) are placed
// together.
//
//   P = all vertices by descending in-degree; Q = empty
//   until Q holds 95% of the vertices: take the head of P as root, do two levels of BFS from it,
//   and move the vertices met from P to Q in that order; then the rest of P follows in its order
//
// Out- and in-lists are ordered separately: for in-lists P is ordered by out-degree, and the BFS
// follows in-edges. The paper leaves two things open: here, a vertex that is already in Q is not
// expanded again for a later root (which removing it from P suggests), and equal degrees are
// ordered by ascending id. One thread: each step depends on the previous one, and in all every list
// is read at most once. Memory: 8 bytes and a bit per vertex.
#pragma once

#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

// All layout ids of `graph` in that order.
std::vector<VertexId> two_level_bfs(const NumberedGraph& graph);

}  // namespace outcore
