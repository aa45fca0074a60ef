// SPDX-License-Identifier: Apache-2.0
// What one adjacency list would take in formats that no layout has, to the byte, without writing
// it. Pure functions; `list` is ascending, and may hold an id twice. The codecs of layouts count by
// themselves (storage/layout/codec.h).
#pragma once

#include <cstdint>
#include <span>

#include "common/ids.h"

namespace outcore {

// Bytes of 7 bits each that a number needs; 0 needs one.
constexpr std::uint64_t bytes_of_7_bits(std::uint32_t number) {
  std::uint64_t bytes = 1;
  for (number >>= 7; number > 0; number >>= 7) ++bytes;
  return bytes;
}

// Whole bytes that a number needs; 0 needs one.
constexpr std::uint64_t bytes_of_8_bits(std::uint32_t number) {
  std::uint64_t bytes = 1;
  for (number >>= 8; number > 0; number >>= 8) ++bytes;
  return bytes;
}

// Ligra+'s run-length encoded byte code (Shun, Dhulipala, Blelloch, DCC 2015): the first id less
// the source, 6 bits and a sign in the first byte and 7 in each that follows; then differences in
// runs of up to 64 that take equally many whole bytes, each run after a byte that says how many
// bytes and how long it is.
std::uint64_t ligra_plus_list_bytes(VertexId source, std::span<const VertexId> list);

}  // namespace outcore
