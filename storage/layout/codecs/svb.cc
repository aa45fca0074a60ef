// SPDX-License-Identifier: Apache-2.0
// Stream-vbyte over differences (Lemire, Kurz and Rupp, Information Processing Letters 2018): two
// bits an id say how many bytes it has, those of four ids in a byte; all of them stand before the
// data, so that no branch hangs on the data.
//
// Written by libstreamvbyte. Read by it only where there is no SSSE3: Debian builds the library for
// the oldest x86-64, without its vector code, and then it decodes 0.08 G ids/s where the decoder
// below does about 2 (benchmarks/codec_benchmark.cc has both).
#include <streamvbyte.h>
#include <streamvbytedelta.h>
#ifdef __SSSE3__
#include <immintrin.h>
#endif

#include <array>

#include "storage/layout/codec.h"

namespace outcore {

namespace {

std::size_t controls(std::size_t ids) { return (ids + 3) / 4; }

std::size_t data_bytes(std::uint32_t value) {
  return 1U + static_cast<unsigned>(value > 0xff) + static_cast<unsigned>(value > 0xffff) +
         static_cast<unsigned>(value > 0xffffff);
}

std::size_t svb_bytes(std::span<const VertexId> ids) {
  std::size_t bytes = controls(ids.size());
  VertexId before = 0;
  for (const VertexId id : ids) {
    bytes += data_bytes(id - before);
    before = id;
  }
  return bytes;
}

std::size_t svb_fit(std::span<const VertexId> ids, std::size_t room, std::size_t extra) {
  std::size_t bytes = 0;
  VertexId before = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bytes += data_bytes(ids[i] - before) + extra;
    if (bytes + controls(i + 1) > room) return i;
    before = ids[i];
  }
  return ids.size();
}

std::size_t svb_encode(std::span<const VertexId> ids, std::byte* out) {
  return streamvbyte_delta_encode(ids.data(), static_cast<std::uint32_t>(ids.size()),
                                  reinterpret_cast<std::uint8_t*>(out), 0);
}

#ifdef __SSSE3__

// What a control byte says of its four ids: where their bytes go, and how many there are.
struct Quads {
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> shuffles{};
  std::array<std::uint8_t, 256> bytes{};
};

constexpr Quads quads() {
  Quads quads;
  for (unsigned control = 0; control < 256; ++control) {
    std::uint8_t from = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned length = 1 + (control >> (2 * i) & 3);
      for (unsigned b = 0; b < 4; ++b) {
        quads.shuffles[control][4 * i + b] = b < length ? from++ : 0x80;  // 0x80 makes a 0
      }
    }
    quads.bytes[control] = from;
  }
  return quads;
}

constexpr Quads kQuads = quads();

// Four ids a step. What each step waits for from the one before is one addition: sums within the
// four do not hang on it. Reads up to 15 bytes behind the data (kReadAhead), writes up to 3 ids
// behind the last (kWriteAhead).
std::uint32_t svb_decode(const std::byte*& in, std::uint32_t ids, VertexId* out) {
  const std::byte* control = in;
  const std::byte* data = in + controls(ids);
  __m128i before = _mm_setzero_si128();  // the last id, four times
  for (std::uint32_t i = 0; i < ids; i += 4) {
    const auto c = static_cast<std::size_t>(*control++);
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
    data += kQuads.bytes[c];
    const __m128i shuffle =
        _mm_load_si128(reinterpret_cast<const __m128i*>(kQuads.shuffles[c].data()));
    __m128i sums = _mm_shuffle_epi8(bytes, shuffle);
    sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
    sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm_add_epi32(sums, before));
    before = _mm_add_epi32(before, _mm_shuffle_epi32(sums, 0xff));
  }
  // The control bits of ids that are not there are 0, which stands for a byte each.
  in = data - (-ids & 3U);
  return ids;
}

#else

std::uint32_t svb_decode(const std::byte*& in, std::uint32_t ids, VertexId* out) {
  in += streamvbyte_delta_decode(reinterpret_cast<const std::uint8_t*>(in), out, ids, 0);
  return ids;
}

#endif

std::optional<std::size_t> svb_extent(std::span<const std::byte> in, std::uint32_t ids) {
  std::size_t bytes = controls(ids);
  if (bytes > in.size()) return std::nullopt;
  const auto last = static_cast<std::size_t>(in[bytes - 1]);
  if (ids % 4 != 0 && last >> (ids % 4 * 2) != 0) return std::nullopt;  // of ids that are not there
  for (std::uint32_t i = 0; i < ids; ++i) {
    bytes += 1 + (static_cast<std::size_t>(in[i / 4]) >> (i % 4 * 2) & 3);
  }
  if (bytes > in.size()) return std::nullopt;
  return bytes;
}

}  // namespace

CodecPart svb_codec() {
  return {.name = "svb",
          .help = "differences in stream-vbyte, quick to decode",
          .bytes = svb_bytes,
          .fit = svb_fit,
          .encode = svb_encode,
          .size = CodecPart::Size::ids,
          .decode = svb_decode,
          .extent = svb_extent};
}

}  // namespace outcore
