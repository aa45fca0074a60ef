// SPDX-License-Identifier: Apache-2.0
// LOSC, section 3.3 "Delta compression" and "ID compression": the first id, then differences, each
// in as few groups of 7 bits as it needs, the highest group first. Bit 7 does not mark a
// continuation: it is the same in all bytes of a value, changes from each value to the next, and
// begins with 0. The paper's example: 2, 5, 300, that is 2, 3 and 295, becomes
//   00000010 10000011 00000010 00100111
// The end of the last value is given by the byte count, because the following bytes may have the
// same mark.
#include <bit>

#include "storage/layout/codec.h"
#include "storage/layout/codecs/varint_decode.h"

namespace outcore {

namespace {

constexpr std::uint32_t kMark = 0x80;

std::uint32_t groups(std::uint32_t value) {
  return value == 0 ? 1 : (static_cast<std::uint32_t>(std::bit_width(value)) + 6) / 7;
}

std::size_t varint_bytes(std::span<const VertexId> ids) {
  std::size_t bytes = 0;
  VertexId before = 0;
  for (const VertexId id : ids) {
    bytes += groups(id - before);
    before = id;
  }
  return bytes;
}

std::size_t varint_fit(std::span<const VertexId> ids, std::size_t room, std::size_t extra) {
  std::size_t bytes = 0;
  VertexId before = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bytes += groups(ids[i] - before) + extra;
    if (bytes > room) return i;
    before = ids[i];
  }
  return ids.size();
}

std::size_t varint_encode(std::span<const VertexId> ids, std::byte* out) {
  const std::byte* const begin = out;
  VertexId before = 0;
  std::uint32_t mark = 0;
  for (const VertexId id : ids) {
    const std::uint32_t value = id - before;
    before = id;
    for (std::uint32_t group = groups(value); group-- > 0;) {
      *out++ = static_cast<std::byte>((value >> (7 * group) & ~kMark & 0xff) | mark);
    }
    mark ^= kMark;
  }
  return static_cast<std::size_t>(out - begin);
}

std::optional<std::size_t> varint_extent(std::span<const std::byte> in, std::uint32_t bytes) {
  if (bytes > in.size()) return std::nullopt;
  return bytes;
}

}  // namespace

CodecPart varint_codec() {
  return {.name = "varint",
          .help = "differences in 7-bit groups (LOSC)",
          .bytes = varint_bytes,
          .fit = varint_fit,
          .encode = varint_encode,
          .size = CodecPart::Size::bytes,
          .decode = varint_decoder(),
          .extent = varint_extent};
}

}  // namespace outcore
