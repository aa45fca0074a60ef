// SPDX-License-Identifier: Apache-2.0
// Ids as the log and the newer runs of a store have them: 4 bytes each, or 3 in a store whose ids
// are below 2^24. Little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/ids.h"

namespace outcore::evolving {

inline constexpr VertexId kNarrowIds = VertexId{1} << 24;  // ids of 3 bytes are below

// Writes an id of `kBytes`, and over the byte behind it if it has 3. So ids are put in order, and
// the last one has a byte behind it.
template <unsigned kBytes>
void put_id(std::byte* to, VertexId id) {
  const VertexId kept = kBytes == 4 ? id : id % kNarrowIds;
  std::memcpy(to, &kept, sizeof kept);
}

// REQUIRES: 4 bytes can be read.
template <unsigned kBytes>
VertexId get_id(const std::byte* from) {
  VertexId id = 0;
  std::memcpy(&id, from, sizeof id);
  return kBytes == 4 ? id : id % kNarrowIds;
}

// Calls f with the width as a constant.
template <typename F>
decltype(auto) with_id_bytes(unsigned id_bytes, F&& f) {
  if (id_bytes == 3) return f.template operator()<3>();
  return f.template operator()<4>();
}

}  // namespace outcore::evolving
