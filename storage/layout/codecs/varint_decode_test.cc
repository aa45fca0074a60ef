// SPDX-License-Identifier: Apache-2.0
// The vector decoder gives the same ids as the scalar one: for lists of every kind, for lists cut
// at any place, and for bytes that no encoder wrote.
#include "storage/layout/codecs/varint_decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {
namespace {

using Ids = std::vector<VertexId>;

// Decodes the first `bytes` of `code`. REQUIRES: it has kReadAhead more bytes.
Ids decoded(VarintDecoder decode, const std::vector<std::byte>& code, std::size_t bytes) {
  Ids ids(bytes + kWriteAhead, 0xdddddddd);
  const CodecPart::Decoded found =
      decode(code.data(), code.data() + bytes, static_cast<std::uint32_t>(bytes), ids.data());
  EXPECT_EQ(found.end, code.data() + bytes);
  EXPECT_LE(found.ids, bytes);
  ids.resize(found.ids);
  return ids;
}

std::vector<std::byte> encoded(const Ids& ids, std::size_t& bytes) {
  const CodecPart& varint = codec_part("varint");
  bytes = varint.bytes(ids);
  std::vector<std::byte> code(bytes + kReadAhead, std::byte{0xff});
  varint.encode(ids, code.data());
  return code;
}

// Differences of up to this many bits; most have fewer.
Ids random_list(std::mt19937_64& random, unsigned bits) {
  Ids ids(1 + random() % 300);
  VertexId id = 0;
  for (VertexId& next : ids) {
    const std::uint64_t shift = bits == 0 ? 0 : random() % bits;
    const auto step = static_cast<VertexId>(random() & ((std::uint64_t{2} << shift) - 1));
    id = step > kNoVertex - id ? id : id + step;
    next = id;
  }
  return ids;
}

TEST(VarintVectors, DecodeEveryListThatIsEncoded) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Ids ids = random_list(random, static_cast<unsigned>(i % 32));
    std::size_t bytes = 0;
    const std::vector<std::byte> code = encoded(ids, bytes);
    ASSERT_EQ(decoded(varint_decoder(), code, bytes), ids) << i;
  }
}

TEST(VarintVectors, DecodeLongListsOfShortDifferences) {
  for (const VertexId step : {0U, 1U, 127U, 128U, 300U, 16384U, 2'097'152U}) {
    Ids ids;
    for (VertexId i = 0; i < 2000; ++i) ids.push_back(i * step);
    std::size_t bytes = 0;
    const std::vector<std::byte> code = encoded(ids, bytes);
    EXPECT_EQ(decoded(varint_decoder(), code, bytes), ids) << step;
  }
}

// Random marks and groups: values of any length, including some that no encoder writes.
TEST(VarintVectors, AgreeWithTheScalarDecoderOnAnyBytes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t bytes = random() % 200;
    std::vector<std::byte> code(bytes + kReadAhead);
    // One mark in `changes` changes, so that some values are long.
    const std::uint64_t changes = 1 + random() % 8;
    std::uint64_t mark = 0;
    for (std::byte& byte : code) {
      if (random() % changes == 0) mark ^= 0x80;
      byte = static_cast<std::byte>((random() & 0x7f) | mark);
    }
    ASSERT_EQ(decoded(varint_decoder(), code, bytes), decoded(varint_decode_scalar, code, bytes))
        << i;
  }
}

TEST(VarintVectors, AgreeWithTheScalarDecoderWhereverAListIsCut) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    std::size_t bytes = 0;
    const std::vector<std::byte> code = encoded(random_list(random, 30), bytes);
    for (std::size_t cut = 0; cut <= bytes; ++cut) {
      ASSERT_EQ(decoded(varint_decoder(), code, cut), decoded(varint_decode_scalar, code, cut));
    }
  }
}

// Whatever follows the code, with the same mark or not.
TEST(VarintVectors, DoNotHangOnWhatFollows) {
  const Ids ids = {2, 5, 300};
  std::size_t bytes = 0;
  std::vector<std::byte> code = encoded(ids, bytes);
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::fill(code.begin() + static_cast<std::ptrdiff_t>(bytes), code.end(),
              static_cast<std::byte>(byte));
    EXPECT_EQ(decoded(varint_decoder(), code, bytes), ids) << byte;
  }
}

}  // namespace
}  // namespace outcore
