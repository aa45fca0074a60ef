// SPDX-License-Identifier: Apache-2.0
// Hub sorting: vertices whose out-list is longer than the average come first, the longest first and
// equal ones by canonical vertex. All others follow in their canonical order. The most frequently
// met vertices are together, as with number degree, but most vertices keep the neighbourhood that
// the graph's own ids give them.
#include "storage/layout/by_degree.h"
#include "storage/layout/parts.h"

namespace outcore {

std::vector<VertexId> number_hubs_first(const CsrView& out, const CsrView& /*in*/) {
  const std::uint64_t vertices = out.vertices();
  // The others count as degree 0, which keeps them in order after every hub.
  return by_descending_degree(out.vertices(), [&](VertexId v) -> std::uint64_t {
    const std::uint64_t degree = out.degree(v);
    return degree * vertices > out.edges() ? degree : 0;
  });
}

}  // namespace outcore
