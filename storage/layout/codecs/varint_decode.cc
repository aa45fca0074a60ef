// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/codecs/varint_decode.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <array>

namespace outcore {

namespace {

constexpr std::uint32_t kMarkBit = 0x80;

// Decodes the value at `in`, and moves `in` past it.
inline std::uint32_t take_value(const std::byte*& in, const std::byte* end) {
  const auto first = static_cast<std::uint32_t>(*in++);
  std::uint32_t value = first & ~kMarkBit;
  while (in < end && ((static_cast<std::uint32_t>(*in) ^ first) & kMarkBit) == 0) {
    value = value << 7 | (static_cast<std::uint32_t>(*in++) & ~kMarkBit);
  }
  return value;
}

}  // namespace

CodecPart::Decoded varint_decode_scalar(const std::byte* in, const std::byte* /*end*/,
                                        std::uint32_t bytes, VertexId* out) {
  const std::byte* const end = in + bytes;
  VertexId* next = out;
  VertexId id = 0;
  while (in < end) {
    id += take_value(in, end);
    *next++ = id;
  }
  return {end, static_cast<std::uint32_t>(next - out)};
}

#ifdef __x86_64__

namespace {

constexpr unsigned kKeyBits = 12;
constexpr unsigned kLanes = 4;

// Up to four values of one to four bytes each, in sequence.
struct Shape {
  alignas(16) std::array<std::uint8_t, 16> shuffle{};  // the last byte of a value comes first
  std::uint32_t values = 0;
  std::uint32_t bytes = 0;
};

constexpr std::size_t kShapes = 4 + 16 + 64 + 256 + 1;  // and one for no value, the first

struct Shapes {
  std::array<Shape, kShapes> shapes{};
  std::array<std::uint16_t, 1U << kKeyBits> of{};  // by where values end
};

// The lengths of values that end within the key; stops at one longer than four bytes.
struct Lengths {
  std::array<unsigned, kLanes> of{};
  unsigned count = 0;
};

constexpr Lengths lengths(unsigned key) {
  Lengths lengths;
  unsigned length = 0;
  for (unsigned bit = 0; bit < kKeyBits && lengths.count < kLanes && length < 4; ++bit) {
    ++length;
    if ((key >> bit & 1) == 0) continue;
    lengths.of[lengths.count++] = length;
    length = 0;
  }
  return lengths;
}

// A number for each combination; those with fewer values come first.
constexpr std::size_t number_of(const Lengths& lengths) {
  std::size_t first = 0;
  std::size_t number = 0;
  std::size_t combinations = 1;
  for (unsigned i = 0; i < lengths.count; ++i) {
    first += combinations;
    combinations *= 4;
    number = number * 4 + lengths.of[i] - 1;
  }
  return first + number;
}

constexpr Shape shape_of(const Lengths& lengths) {
  Shape shape;
  shape.shuffle.fill(0x80);  // gives 0
  for (unsigned i = 0; i < lengths.count; ++i) {
    shape.bytes += lengths.of[i];
    for (unsigned b = 0; b < lengths.of[i]; ++b) {
      shape.shuffle[4 * i + b] = static_cast<std::uint8_t>(shape.bytes - 1 - b);
    }
  }
  shape.values = lengths.count;
  return shape;
}

constexpr Shapes all_shapes() {
  Shapes all;
  for (unsigned key = 0; key < 1U << kKeyBits; ++key) {
    const Lengths found = lengths(key);
    const std::size_t number = number_of(found);
    all.of[key] = static_cast<std::uint16_t>(number);
    if (all.shapes[number].values == 0) all.shapes[number] = shape_of(found);
  }
  return all;
}

constexpr Shapes kAll = all_shapes();

const Shape& next_shape(std::uint64_t ends) {
  return kAll.shapes[kAll.of[ends & ((1U << kKeyBits) - 1)]];
}

// What it reads after the code are bytes of the block or of the padding (kReadAhead), into which
// another thread may be reading a block; they end up in ids that do not exist.
__attribute__((target("ssse3"), no_sanitize("thread"))) inline __m128i load(const std::byte* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

__attribute__((target("ssse3"))) inline std::uint64_t marks(const std::byte* at) {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(load(at)));
}

__attribute__((target("ssse3"))) inline void store(VertexId* out, __m128i ids) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), ids);
}

// The ids being decoded.
struct Ids {
  VertexId* next;
  __m128i last;  // the last one, four times
};

// Decodes the values of a shape at `in`. Writes four ids, of which only the shape's values count.
__attribute__((target("ssse3"))) inline void decode_shape(const std::byte* in, const Shape& shape,
                                                          Ids& ids) {
  const __m128i shuffle = _mm_load_si128(reinterpret_cast<const __m128i*>(shape.shuffle.data()));
  const __m128i groups = _mm_and_si128(_mm_shuffle_epi8(load(in), shuffle), _mm_set1_epi8(0x7f));
  const __m128i pairs = _mm_maddubs_epi16(_mm_set1_epi16(static_cast<short>(0x8001)), groups);
  __m128i sums = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 30 | 1));
  sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
  sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
  sums = _mm_add_epi32(sums, ids.last);
  store(ids.next, sums);
  ids.next += shape.values;
  ids.last = _mm_shuffle_epi32(sums, 0xff);
}

// Eight values of one byte each, as neighbours of hubs have.
__attribute__((target("ssse3"))) inline void decode_bytes(const std::byte* in, Ids& ids) {
  const __m128i zero = _mm_setzero_si128();
  __m128i sums = _mm_unpacklo_epi8(_mm_and_si128(load(in), _mm_set1_epi8(0x7f)), zero);
  sums = _mm_add_epi16(sums, _mm_slli_si128(sums, 2));
  sums = _mm_add_epi16(sums, _mm_slli_si128(sums, 4));
  sums = _mm_add_epi16(sums, _mm_slli_si128(sums, 8));
  store(ids.next, _mm_add_epi32(_mm_unpacklo_epi16(sums, zero), ids.last));
  const __m128i high = _mm_add_epi32(_mm_unpackhi_epi16(sums, zero), ids.last);
  store(ids.next + 4, high);
  ids.next += 8;
  ids.last = _mm_shuffle_epi32(high, 0xff);
}

// A value longer than a lane.
__attribute__((target("ssse3"))) inline const std::byte* decode_long(const std::byte* in,
                                                                     const std::byte* end,
                                                                     Ids& ids) {
  const std::uint32_t id =
      static_cast<std::uint32_t>(_mm_cvtsi128_si32(ids.last)) + take_value(in, end);
  *ids.next++ = id;
  ids.last = _mm_set1_epi32(static_cast<int>(id));
  return in;
}

constexpr unsigned kWindow = 64;  // bytes whose marks are examined together

// Decodes everything except the last part of the code, where no full window is left. Within a
// window, it is known for all bytes but the last whether a value ends there.
__attribute__((target("ssse3"))) inline const std::byte* decode_windows(const std::byte* in,
                                                                        const std::byte* end,
                                                                        Ids& ids) {
  while (end - in >= kWindow) {
    const std::uint64_t all =
        marks(in) | marks(in + 16) << 16 | marks(in + 32) << 32 | marks(in + 48) << 48;
    std::uint64_t ends = all ^ all >> 1;
    unsigned used = 0;
    while (used < kWindow - kKeyBits) {
      if ((ends & 0xff) == 0xff) {
        decode_bytes(in + used, ids);
        used += 8;
        ends >>= 8;
        continue;
      }
      const Shape& shape = next_shape(ends);
      if (shape.values == 0) break;
      decode_shape(in + used, shape, ids);
      used += shape.bytes;
      ends >>= shape.bytes;
    }
    in += used;
    if (used < kWindow - kKeyBits) in = decode_long(in, end, ids);
  }
  return in;
}

__attribute__((target("ssse3"))) CodecPart::Decoded varint_decode_vectors(const std::byte* in,
                                                                          const std::byte* /*end*/,
                                                                          std::uint32_t bytes,
                                                                          VertexId* out) {
  const std::byte* const end = in + bytes;
  Ids ids{out, _mm_setzero_si128()};
  in = decode_windows(in, end, ids);
  while (in < end) {
    const std::uint64_t all = marks(in);
    std::uint64_t ends = all ^ all >> 1;
    const auto left = static_cast<std::size_t>(end - in);
    // The last value ends where the code ends, whatever follows.
    if (left <= kKeyBits) ends = (ends & ((1U << (left - 1)) - 1)) | 1U << (left - 1);
    const Shape& shape = next_shape(ends);
    if (shape.values == 0) {
      in = decode_long(in, end, ids);
      continue;
    }
    decode_shape(in, shape, ids);
    in += shape.bytes;
  }
  return {end, static_cast<std::uint32_t>(ids.next - out)};
}

}  // namespace

VarintDecoder varint_decoder() {
  return __builtin_cpu_supports("ssse3") ? varint_decode_vectors : varint_decode_scalar;
}

#else

VarintDecoder varint_decoder() { return varint_decode_scalar; }

#endif

}  // namespace outcore
