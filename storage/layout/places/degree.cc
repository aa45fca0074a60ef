// SPDX-License-Identifier: Apache-2.0
// Longest lists first, equal ones by id. With pack firstfit this is first fit decreasing.
#include "storage/layout/by_degree.h"
#include "storage/layout/parts.h"

namespace outcore {

std::vector<VertexId> place_by_degree(const NumberedGraph& graph) {
  return by_descending_degree(graph.ids(), [&](VertexId id) { return graph.degree(id); });
}

}  // namespace outcore
