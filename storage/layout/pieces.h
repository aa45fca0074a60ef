// SPDX-License-Identifier: Apache-2.0
// How the part of a list that lies in one block, a *piece*, is written there and read again.
//
//   codec raw       ids as u32, one after the other; with weights each edge takes a slot of 8
//   bytes,
//                   all ids first, then all weights as float32
//   other codecs    count * 2 + goes_on, then, if it goes on with a list that began in an earlier
//                   block, the index of its first edge within the list, both as LEB128 (7 bits a
//                   byte, bit 7: another follows); then the ids in the codec's code; then the
//                   weights as float32, not aligned
//
// Each piece begins anew with a whole id, so it decodes alone. A list that fits the rest of its
// block is one piece; one that does not goes on at the beginning of the next block.
//
// Decoders read up to kReadAhead bytes past a block, so whoever holds blocks pads the last one.
// Thread-safe: no state but the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/ids.h"
#include "storage/layout/codec.h"
#include "storage/layout/list_index.h"

namespace outcore {

// A list, or a part of one; `weights` is empty where none are stored.
struct WeightedList {
  std::span<const VertexId> ids;
  std::span<const float> weights;
};

// What decoding a piece gives: `first` is the index within the list of ids[0].
struct DecodedPiece {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;  // that it takes in its block
  const VertexId* ids = nullptr;
  const float* weights = nullptr;
};

// Where a thread decodes to; as large as the pieces of one block can be.
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

  // Slots of a list that begins `at` slots into a block, up to the end of its last piece; 0 when
  // not one edge fits there. 0 edges: 0.
  [[nodiscard]] std::uint64_t slots(std::span<const VertexId> ids, std::uint32_t at = 0) const;

  // The piece of `rest`, which begins at index `first` of its list, that goes to `room` slots.
  struct Cut {
    std::size_t count = 0;
    std::uint32_t slots = 0;
  };
  [[nodiscard]] Cut cut(std::span<const VertexId> rest, std::uint64_t first,
                        std::uint32_t room) const;
  // Writes a piece as cut() gave it to `slots` of the block.
  void write(WeightedList piece, std::uint64_t first, std::span<std::byte> slots) const;

  // The piece of `list` in `part` of the block at `data`. Raw pieces are not copied. `buffer` may
  // be null for raw. Throws bad_input rather than leave the block or the buffer, whatever the block
  // holds; that it holds what it should is `outcore check`'s to say.
  [[nodiscard]] DecodedPiece read(const BlockPart& part, const std::byte* data,
                                  DecodeBuffer buffer) const {
    // Not that it were so: but raw lists take no time of their own, and should not wait for others.
    if (encoded()) [[unlikely]] {
      return decode(data + part.slot, data + block_bytes_, buffer);
    }
    const auto* ids = reinterpret_cast<const VertexId*>(data + part.slot * slot_bytes());
    return {part.first, part.slots, part.slots * slot_bytes(), ids,
            weighted_ ? reinterpret_cast<const float*>(ids + part.slots) : nullptr};
  }
  // The bytes of an encoded piece; 0 when it is not one or ends behind `bytes`.
  [[nodiscard]] std::uint32_t checked_bytes(std::span<const std::byte> bytes) const;

  // How many edges all pieces of a block can have, with the room that decoders want behind them.
  [[nodiscard]] std::size_t most_edges() const {
    return encoded() ? block_bytes_ + kWriteAhead : slots_per_block();
  }

 private:
  // Inline but for the codec: lists are short, and a call took as long as decoding four ids.
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
  // Reads ten bytes at most.
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
