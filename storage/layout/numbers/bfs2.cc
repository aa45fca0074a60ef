// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/two_level_bfs.h"

namespace outcore {

std::vector<VertexId> number_bfs2(const CsrView& out, const CsrView& in) {
  return two_level_bfs({.csr = out, .reverse = in, .original = {}, .layout_of = {}});
}

}  // namespace outcore
