// SPDX-License-Identifier: Apache-2.0
// A codec: how the ids of one piece of a list are written as bytes. To add one, write its file in
// codecs/, declare its CodecPart below and give it a line in parts.cc; the tests of codecs take it
// up from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/ids.h"

namespace outcore {

// Decoders may read so many bytes past the end of what they decode, and write so many ids past the
// last one.
inline constexpr std::size_t kReadAhead = 16;
inline constexpr std::size_t kWriteAhead = 3;

struct CodecPart {
  std::string name;
  std::string help;
  // All null for raw, whose ids stand as they are. `ids` ascend, may repeat, and are not empty;
  // each takes a byte or more of code, for pieces.h sizes its buffers by the bytes of a block.
  std::size_t (*bytes)(std::span<const VertexId> ids) = nullptr;
  // The most ids from the front whose code takes no more than `room` bytes, `extra` bytes added for
  // each id; may be none.
  std::size_t (*fit)(std::span<const VertexId> ids, std::size_t room, std::size_t extra) = nullptr;
  // Returns the bytes written, which are bytes(ids).
  std::size_t (*encode)(std::span<const VertexId> ids, std::byte* out) = nullptr;
  // What decode() has to be told of a piece: how many ids it has, or how many bytes they take.
  enum class Size : std::uint8_t { ids, bytes } size = Size::ids;
  struct Decoded {
    const std::byte* end = nullptr;  // of the code
    std::uint32_t ids = 0;
  };
  // `size` is at most end - in. Whatever the bytes are, this reads at most kReadAhead of them from
  // `end` on and writes at most end - in + kWriteAhead ids; code that is cut ends behind `end`.
  Decoded (*decode)(const std::byte* in, const std::byte* end, std::uint32_t size,
                    VertexId* out) = nullptr;
  // The bytes that the code takes; nullopt when `in` ends before, or encode() does not write such.
  std::optional<std::size_t> (*extent)(std::span<const std::byte> in, std::uint32_t size) = nullptr;
};

CodecPart raw_codec();
CodecPart varint_codec();
CodecPart svb_codec();

}  // namespace outcore
