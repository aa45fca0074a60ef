// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/pieces.h"

#include <algorithm>
#include <vector>

#include "common/error.h"

namespace outcore {

namespace {

std::uint32_t leb_bytes(std::uint64_t value) {
  std::uint32_t bytes = 1;
  while (value >>= 7) ++bytes;
  return bytes;
}

std::byte* put_leb(std::uint64_t value, std::byte* out) {
  for (; value > 0x7f; value >>= 7) *out++ = static_cast<std::byte>((value & 0x7f) | 0x80);
  *out++ = static_cast<std::byte>(value);
  return out;
}

// nullopt if `bytes` ends first; advances `at`.
std::optional<std::uint64_t> checked_leb(std::span<const std::byte> bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint64_t>(bytes[at++]);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::uint32_t head_bytes(std::uint64_t size, std::uint64_t first) {
  return leb_bytes(size * 2) + (first > 0 ? leb_bytes(first) : 0);
}

}  // namespace

PieceFormat::Cut PieceFormat::cut(std::span<const VertexId> rest, std::uint64_t first,
                                  std::uint32_t room) const {
  if (!encoded()) {
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(rest.size(), room));
    return {count, count};
  }
  const bool by_bytes = codec_->size == CodecPart::Size::bytes;
  // Every id takes at least a byte, so a list with more ids than that cannot fit; skip it.
  if (rest.size() <= room) {
    const std::size_t code = codec_->bytes(rest);
    const std::size_t bytes =
        head_bytes(by_bytes ? code : rest.size(), first) + code + rest.size() * weight_bytes();
    if (bytes <= room) return {rest.size(), static_cast<std::uint32_t>(bytes)};
  }
  const std::size_t head = head_bytes(room, first);
  if (head >= room) return {};
  const std::size_t count = codec_->fit(rest, room - head, weight_bytes());
  if (count == 0) return {};
  const std::size_t code = codec_->bytes(rest.first(count));
  return {count, static_cast<std::uint32_t>(head_bytes(by_bytes ? code : count, first) + code +
                                            count * weight_bytes())};
}

std::uint64_t PieceFormat::slots(std::span<const VertexId> ids, std::uint32_t at) const {
  if (ids.empty()) return 0;
  const std::uint32_t in_block = slots_per_block();
  if (!encoded()) return ids.size();
  Cut piece = cut(ids, 0, in_block - at);
  if (piece.count == 0) return 0;
  std::uint64_t blocks = 0;
  std::uint64_t end = at + piece.slots;
  for (std::size_t first = piece.count; first < ids.size(); first += piece.count) {
    piece = cut(ids.subspan(first), first, in_block);
    ++blocks;
    end = piece.slots;
  }
  return blocks * in_block + end - at;
}

void PieceFormat::write(WeightedList piece, std::uint64_t first, std::span<std::byte> slots) const {
  std::byte* out = slots.data();
  if (encoded()) {
    const std::uint64_t size =
        codec_->size == CodecPart::Size::bytes ? codec_->bytes(piece.ids) : piece.ids.size();
    out = put_leb(size * 2 + (first > 0 ? 1 : 0), out);
    if (first > 0) out = put_leb(first, out);
    out += codec_->encode(piece.ids, out);
  } else {
    std::memcpy(out, piece.ids.data(), piece.ids.size_bytes());
    out += piece.ids.size_bytes();
  }
  if (weighted_) std::memcpy(out, piece.weights.data(), piece.weights.size_bytes());
}

void PieceFormat::refuse_piece() {
  throw Error(ExitCode::bad_input,
              "a piece of a list goes beyond its block; 'outcore check' finds the place");
}

std::uint32_t PieceFormat::checked_bytes(std::span<const std::byte> bytes) const {
  std::size_t at = 0;
  const std::optional<std::uint64_t> head = checked_leb(bytes, at);
  if (!head || *head / 2 == 0 || *head / 2 > bytes.size()) return 0;
  if ((*head & 1) != 0 && !checked_leb(bytes, at)) return 0;
  const auto size = static_cast<std::uint32_t>(*head / 2);
  const std::optional<std::size_t> code = codec_->extent(bytes.subspan(at), size);
  if (!code) return 0;
  at += *code;
  if (weighted_) {
    // If the size is in bytes, the number of ids is known only after decoding. A piece has no more
    // ids than the block has bytes, so there is room for them.
    std::uint32_t count = size;
    if (codec_->size == CodecPart::Size::bytes) {
      std::vector<VertexId> ids(*code + kWriteAhead);
      std::vector<std::byte> in(*code + kReadAhead);  // a copy: the block may end with the code
      std::memcpy(in.data(), bytes.data() + at - *code, *code);
      count = codec_->decode(in.data(), in.data() + *code, size, ids.data()).ids;
    }
    at += count * sizeof(float);
  }
  return at <= bytes.size() ? static_cast<std::uint32_t>(at) : 0;
}

}  // namespace outcore
