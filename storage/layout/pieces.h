// SPDX-License-Identifier: Apache-2.0
// How a *piece*, the part of a list within one block, is written and read.
//
//   codec raw       ids as u32, one after the other; with weights each edge takes a slot of 8
//                   bytes, all ids first, then all weights as float32
//   other codecs    size * 2 + goes_on, where size is the number of ids or of bytes of their code
//                   (CodecPart::size); then, if it continues a list from an earlier block
//                   (goes_on), the index of its first edge within the list; both as LEB128 (7 bits
//                   per byte, bit 7: another byte follows); then the ids in the codec's code; then
//                   the weights as float32, not aligned
//
// Each piece begins with a whole id, so it can be decoded alone. A list that fits the rest of its
// block is one piece; any other continues at the beginning of the next block.
//
// Decoders read up to kReadAhead bytes past a block, so the owner of blocks must pad the last one.
// Thread-safe: it has no state except the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/ids.h"
#include "storage/layout/codec.h"
#include "storage/layout/list_index.h"

namespace outcore {

// A list, or a part of one; `weights` is empty if none are stored.
struct WeightedList {
  std::span<const VertexId> ids;
  std::span<const float> weights;
};

// The result of decoding a piece: `first` is the index of ids[0] within the list.
struct DecodedPiece {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;  // that it takes in its block
  const VertexId* ids = nullptr;
  const float* weights = nullptr;
};

// The memory into which a thread decodes; large enough for the pieces of one block.
struct DecodeBuffer {
  VertexId* ids = nullptr;
  float* weights = nullptr;
};

class PieceFormat {
 public:
  PieceFormat() = default;
  PieceFormat(const CodecPart& codec, bool weighted, std::uint32_t block_bytes)
      : codec_(&codec), weighted_(weighted), block_bytes_(block_bytes) {}

  [[nodiscard]] bool encoded() const { return codec_->encode != nullptr; }
  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] std::uint32_t slot_bytes() const {
    return encoded() ? 1 : static_cast<std::uint32_t>(sizeof(VertexId)) * (weighted_ ? 2 : 1);
  }
  [[nodiscard]] std::uint32_t slots_per_block() const { return block_bytes_ / slot_bytes(); }

  // The slots of a list that begins `at` slots into a block, up to the end of its last piece; 0 if
  // not even one edge fits there, or for no edges.
  [[nodiscard]] std::uint64_t slots(std::span<const VertexId> ids, std::uint32_t at = 0) const;

  // The piece of `rest`, which begins at index `first` of its list, that fits into `room` slots.
  struct Cut {
    std::size_t count = 0;
    std::uint32_t slots = 0;
  };
  [[nodiscard]] Cut cut(std::span<const VertexId> rest, std::uint64_t first,
                        std::uint32_t room) const;
  // Writes a piece returned by cut() into `slots` of the block.
  void write(WeightedList piece, std::uint64_t first, std::span<std::byte> slots) const;

  // The piece of `list` in `part` of the block at `data`. Raw pieces are not copied, and `buffer`
  // may be null for them. Whatever the block holds, this throws bad_input rather than read or write
  // outside the block or the buffer. `outcore check` verifies that a block holds what it should.
  [[nodiscard]] DecodedPiece read(const BlockPart& part, const std::byte* data,
                                  DecodeBuffer buffer) const {
    // "unlikely" although it is not: raw lists take no other time here and should not pay for a
    // jump.
    if (encoded()) [[unlikely]] {
      return decode(data + part.slot, data + block_bytes_, buffer);
    }
    const auto* ids = reinterpret_cast<const VertexId*>(data + part.slot * slot_bytes());
    return {part.first, part.slots, part.slots * slot_bytes(), ids,
            weighted_ ? reinterpret_cast<const float*>(ids + part.slots) : nullptr};
  }
  // The bytes of an encoded piece; 0 if it is not a piece or ends after `bytes`.
  [[nodiscard]] std::uint32_t checked_bytes(std::span<const std::byte> bytes) const;

  // The most edges that all pieces of a block can have, plus the room that decoders need after
  // them.
  [[nodiscard]] std::size_t most_edges() const {
    return encoded() ? block_bytes_ + kWriteAhead : slots_per_block();
  }

 private:
  // All but the codec is inline: lists are short, and a call took as long as decoding four ids.
  [[nodiscard]] DecodedPiece decode(const std::byte* in, const std::byte* end,
                                    DecodeBuffer buffer) const {
    const std::byte* const begin = in;
    DecodedPiece piece{.ids = buffer.ids};
    const std::uint64_t head = take_leb(in);
    if ((head & 1) != 0 && in < end) piece.first = take_leb(in);
    if (in > end || head / 2 > static_cast<std::uint64_t>(end - in)) refuse_piece();
    const auto [behind, ids] =
        codec_->decode(in, end, static_cast<std::uint32_t>(head / 2), buffer.ids);
    piece.count = ids;
    const std::size_t weights = piece.count * weight_bytes();
    if (end - behind < static_cast<std::ptrdiff_t>(weights)) refuse_piece();
    if (weighted_) {
      std::memcpy(buffer.weights, behind, weights);
      piece.weights = buffer.weights;
    }
    piece.bytes = static_cast<std::uint32_t>(behind + weights - begin);
    return piece;
  }
  // Reads at most ten bytes.
  static std::uint64_t take_leb(const std::byte*& in) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(*in++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  [[noreturn]] static void refuse_piece();
  [[nodiscard]] std::size_t weight_bytes() const { return weighted_ ? sizeof(float) : 0; }

  const CodecPart* codec_ = nullptr;
  bool weighted_ = false;
  std::uint32_t block_bytes_ = 0;
};

}  // namespace outcore
