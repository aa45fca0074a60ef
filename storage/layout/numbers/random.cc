// SPDX-License-Identifier: Apache-2.0
// Ids in the order of a hash of the canonical vertex: random numbering, against which every other
// numbering is measured.
#include <algorithm>
#include <numeric>

#include "common/hash.h"
#include "storage/layout/parts.h"

namespace outcore {

std::vector<VertexId> number_random(const CsrView& out, const CsrView& /*in*/) {
  std::vector<VertexId> original(out.vertices());
  std::iota(original.begin(), original.end(), VertexId{0});
  // mix is a bijection, so no two vertices tie.
  std::sort(original.begin(), original.end(),
            [](VertexId a, VertexId b) { return mix(a) < mix(b); });
  return original;
}

}  // namespace outcore
