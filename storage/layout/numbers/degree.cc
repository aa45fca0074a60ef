// SPDX-License-Identifier: Apache-2.0
// Longest out-lists first, equal ones by canonical vertex.
#include "storage/layout/by_degree.h"
#include "storage/layout/parts.h"

namespace outcore {

std::vector<VertexId> number_by_degree(const CsrView& out, const CsrView& /*in*/) {
  return by_descending_degree(out.vertices(), [&](VertexId v) { return out.degree(v); });
}

}  // namespace outcore
