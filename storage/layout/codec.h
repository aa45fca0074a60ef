// SPDX-License-Identifier: Apache-2.0
// A codec: how the ids of one piece of a list are written as bytes. To add a codec, write its file
// in codecs/, declare its CodecPart below and add a line in parts.cc. The tests of codecs then
// cover it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/ids.h"

namespace outcore {

// Decoders may read this many bytes past the end of the code, and write this many ids past the last
// one.
inline constexpr std::size_t kReadAhead = 16;
inline constexpr std::size_t kWriteAhead = 3;

struct CodecPart {
  std::string name;
  std::string help;
  // All functions are null for raw, whose ids are stored as they are. REQUIRES: `ids` ascend, may
  // repeat, and are not empty. Each id must take at least one byte, because pieces.h sizes its
  // buffers by the bytes of a block.
  std::size_t (*bytes)(std::span<const VertexId> ids) = nullptr;
  // How many ids from the front fit into `room` bytes, with `extra` bytes added for each; may be 0.
  std::size_t (*fit)(std::span<const VertexId> ids, std::size_t room, std::size_t extra) = nullptr;
  // Returns the number of bytes written, which equals bytes(ids).
  std::size_t (*encode)(std::span<const VertexId> ids, std::byte* out) = nullptr;
  // What decode() must be told about a piece: how many ids it has, or how many bytes they take.
  enum class Size : std::uint8_t { ids, bytes } size = Size::ids;
  struct Decoded {
    const std::byte* end = nullptr;  // of the code
    std::uint32_t ids = 0;
  };
  // REQUIRES: `size` is at most end - in. Whatever the bytes are, it reads at most kReadAhead of
  // them after `end` and writes at most end - in + kWriteAhead ids. For code that was cut, the
  // returned end is after `end`.
  Decoded (*decode)(const std::byte* in, const std::byte* end, std::uint32_t size,
                    VertexId* out) = nullptr;
  // The number of bytes of the code; nullopt if `in` ends before it does, or encode() never writes
  // this.
  std::optional<std::size_t> (*extent)(std::span<const std::byte> in, std::uint32_t size) = nullptr;
};

CodecPart raw_codec();
CodecPart varint_codec();
CodecPart svb_codec();

}  // namespace outcore
