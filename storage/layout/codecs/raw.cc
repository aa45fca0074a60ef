// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "storage/layout/parts.h"

namespace outcore {

void encode_raw(std::span<const VertexId> ids, std::span<std::uint32_t> slots) {
  std::copy(ids.begin(), ids.end(), slots.begin());
}

}  // namespace outcore
