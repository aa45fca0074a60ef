// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/two_level_bfs.h"

namespace outcore {

std::vector<VertexId> place_by_bfs2(const NumberedGraph& graph) { return two_level_bfs(graph); }

}  // namespace outcore
