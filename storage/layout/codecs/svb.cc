// SPDX-License-Identifier: Apache-2.0
// Stream-vbyte over differences (Lemire, Kurz and Rupp, Information Processing Letters 2018). Two
// bits per id give its number of bytes; the bits of four ids form a control byte. All control bytes
// come before the data, so no branch depends on the data.
//
// Written by libstreamvbyte, but read by it only without SSSE3. Debian builds the library for the
// oldest x86-64, without its vector code, and then it decodes 0.08 G ids/s, while the decoder below
// reaches about 2 (both are in benchmarks/codec_benchmark.cc).
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

std::optional<std::size_t> svb_extent(std::span<const std::byte> in, std::uint32_t ids) {
  std::size_t bytes = controls(ids);
  if (bytes > in.size()) return std::nullopt;
  if (ids % 4 != 0 && static_cast<std::size_t>(in[bytes - 1]) >> (ids % 4 * 2) != 0) {
    return std::nullopt;  // control bits of ids that do not exist
  }
  for (std::uint32_t i = 0; i < ids; ++i) {
    bytes += 1 + (static_cast<std::size_t>(in[i / 4]) >> (i % 4 * 2) & 3);
  }
  if (bytes > in.size()) return std::nullopt;
  return bytes;
}

#ifdef __SSSE3__

// For each control byte: where the bytes of its four ids go, and how many bytes there are.
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
        quads.shuffles[control][4 * i + b] = b < length ? from++ : 0x80;  // 0x80 gives 0
      }
    }
    quads.bytes[control] = from;
  }
  return quads;
}

constexpr Quads kQuads = quads();

// For the last ids of a block this also reads bytes after it (kReadAhead), into which another
// thread may be reading a block. They are dropped by the shuffle or end up in ids that do not
// exist; the thread sanitizer cannot know that.
__attribute__((no_sanitize("thread"))) __m128i load(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

__m128i shuffle(std::size_t control) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(kQuads.shuffles[control].data()));
}

// Turns the differences of four ids into sums, starting at the first one.
__m128i sums_of(const std::byte* data, std::size_t control) {
  __m128i sums = _mm_shuffle_epi8(load(data), shuffle(control));
  sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
  return _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
}

void store(VertexId* out, __m128i ids) { _mm_storeu_si128(reinterpret_cast<__m128i*>(out), ids); }

// Each step depends on the previous one by a single addition; the sums within a step do not. Writes
// up to 3 ids after the last (kWriteAhead).
CodecPart::Decoded decode_long(const std::byte* in, const std::byte* end, std::uint32_t ids,
                               VertexId* out) {
  const std::byte* control = in;
  const std::byte* data = in + controls(ids);
  std::uint32_t i = 0;
#ifdef __AVX2__
  // Eight at once: fewer steps, and a caller that reads eight ids at once finds them in one store.
  __m256i last = _mm256_setzero_si256();  // the last id, eight times
  for (; i + 4 < ids; i += 8, control += 2) {
    const auto c0 = static_cast<std::size_t>(control[0]);
    const auto c1 = static_cast<std::size_t>(control[1]);
    const std::byte* const second = data + kQuads.bytes[c0];
    if (second > end) return {second, 0};
    __m256i sums = _mm256_shuffle_epi8(_mm256_set_m128i(load(second), load(data)),
                                       _mm256_set_m128i(shuffle(c1), shuffle(c0)));
    data = second + kQuads.bytes[c1];
    sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 4));
    sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 8));
    const __m256i totals = _mm256_shuffle_epi32(sums, 0xff);
    sums = _mm256_add_epi32(sums, _mm256_permute2x128_si256(totals, totals, 0x08));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_add_epi32(sums, last));
    last = _mm256_add_epi32(last, _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7)));
  }
  __m128i before = _mm256_castsi256_si128(last);
#else
  __m128i before = _mm_setzero_si128();  // the last id, four times
#endif
  for (; i < ids; i += 4) {
    if (data > end) return {data, 0};
    const auto c = static_cast<std::size_t>(*control++);
    const __m128i sums = sums_of(data, c);
    data += kQuads.bytes[c];
    store(out + i, _mm_add_epi32(sums, before));
    before = _mm_add_epi32(before, _mm_shuffle_epi32(sums, 0xff));
  }
  // Control bits of ids that do not exist are 0, which means one byte each; subtract these.
  return {data - (-ids & 3U), ids};
}

CodecPart::Decoded svb_decode(const std::byte* in, const std::byte* end, std::uint32_t ids,
                              VertexId* out) {
  // Most lists are this short, and the loop takes longer to set up than they take to decode.
  if (ids == 0 || ids > 4) return decode_long(in, end, ids, out);
  const auto control = static_cast<std::size_t>(*in);
  store(out, sums_of(in + 1, control));
  return {in + 1 + kQuads.bytes[control] - (4 - ids), ids};
}

#else

CodecPart::Decoded svb_decode(const std::byte* in, const std::byte* end, std::uint32_t ids,
                              VertexId* out) {
  if (!svb_extent({in, end}, ids)) return {end + 1, 0};
  return {in + streamvbyte_delta_decode(reinterpret_cast<const std::uint8_t*>(in), out, ids, 0),
          ids};
}

#endif

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
