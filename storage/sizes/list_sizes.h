// SPDX-License-Identifier: Apache-2.0
// What one adjacency list would take in formats of other systems, to the byte, without writing it.
// Pure functions; `list` is ascending, and may hold an id twice.
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

// LOSC, section 3.3: the first id, then the differences, each in as many bytes of 7 bits as it
// needs; the eighth bit alternates from one id to the next. 2, 5, 300 takes 4 bytes.
std::uint64_t losc_list_bytes(std::span<const VertexId> list);

// Stream VByte (Lemire, Kurz, Rupp 2018) of the same numbers: 2 bits each that say how many whole
// bytes a number takes, in bytes of their own, then these bytes.
std::uint64_t stream_vbyte_list_bytes(std::span<const VertexId> list);

// Ligra+'s run-length encoded byte code (Shun, Dhulipala, Blelloch, DCC 2015): the first id less
// the source, 6 bits and a sign in the first byte and 7 in each that follows; then differences in
// runs of up to 64 that take equally many whole bytes, each run after a byte that says how many
// bytes and how long it is.
std::uint64_t ligra_plus_list_bytes(VertexId source, std::span<const VertexId> list);

}  // namespace outcore
