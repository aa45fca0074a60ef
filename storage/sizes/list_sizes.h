// SPDX-License-Identifier: Apache-2.0
// The exact size of an adjacency list in formats that no layout has, without writing it. Pure
// functions; `list` is ascending and may contain an id twice. The codecs of layouts count by
// themselves (storage/layout/codec.h).
#pragma once

#include <cstdint>
#include <span>

#include "common/ids.h"

namespace outcore {

// The number of bytes with 7 bits each that a number needs; 0 needs one.
constexpr std::uint64_t bytes_of_7_bits(std::uint32_t number) {
  std::uint64_t bytes = 1;
  for (number >>= 7; number > 0; number >>= 7) ++bytes;
  return bytes;
}

// The number of whole bytes that a number needs; 0 needs one.
constexpr std::uint64_t bytes_of_8_bits(std::uint32_t number) {
  std::uint64_t bytes = 1;
  for (number >>= 8; number > 0; number >>= 8) ++bytes;
  return bytes;
}

// Ligra+'s run-length encoded byte code (Shun, Dhulipala, Blelloch, DCC 2015): the first id minus
// the source, with 6 bits and a sign in the first byte and 7 bits in each following byte; then the
// differences, in runs of up to 64 that take the same number of whole bytes, each run after a byte
// that gives this number and the run's length.
std::uint64_t ligra_plus_list_bytes(VertexId source, std::span<const VertexId> list);

}  // namespace outcore
