// SPDX-License-Identifier: Apache-2.0
// Codecs and pieces: what is written is read back, however it is cut, and broken pieces are found.
#include "storage/layout/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/hash.h"
#include "storage/layout/parts.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<VertexId>;

// Ascending ids with duplicates and differences of every length.
Ids ascending(std::size_t count, std::uint64_t seed) {
  Ids ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    ids[i] = static_cast<VertexId>(mix(seed + i) >> (32 + mix(seed * 7 + i) % 32));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

const CodecPart& varint() { return codec_part("varint"); }

TEST(Varint, WritesLoscsExample) {
  const Ids ids = {2, 5, 300};
  std::vector<std::byte> out(varint().bytes(ids));
  EXPECT_EQ(varint().encode(ids, out.data()), 4U);
  EXPECT_THAT(out, ElementsAre(std::byte{0b00000010}, std::byte{0b10000011}, std::byte{0b00000010},
                               std::byte{0b00100111}));
}

class EveryCodec : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  const CodecPart& codec_ = codec_part(std::get<0>(GetParam()));
  PieceFormat format_{codec_, std::get<1>(GetParam()), 4096};

  // Writes the list as pieces, from slot `at` of the first block on; the buffer is padded.
  std::vector<std::byte> written(const Ids& ids, const std::vector<float>& weights,
                                 std::uint32_t at) {
    std::vector<std::byte> blocks(
        ((at + format_.slots(ids, at)) / format_.slots_per_block() + 1) * 4096 + kReadAhead,
        std::byte{0xff});
    std::size_t block = 0;
    for (std::size_t first = 0; first < ids.size(); ++block, at = 0) {
      const std::span<const VertexId> rest = std::span(ids).subspan(first);
      const PieceFormat::Cut cut = format_.cut(rest, first, format_.slots_per_block() - at);
      const WeightedList piece{rest.first(cut.count),
                               format_.weighted() ? std::span(weights).subspan(first, cut.count)
                                                  : std::span<const float>()};
      format_.write(piece, first,
                    std::span(blocks).subspan(block * 4096 + at * format_.slot_bytes(),
                                              std::size_t{cut.slots} * format_.slot_bytes()));
      first += cut.count;
    }
    return blocks;
  }
};

TEST_P(EveryCodec, ReadsEveryPieceAloneWhereverTheListBegins) {
  for (const std::size_t count : {1, 2, 3, 4, 5, 31, 32, 33, 511, 512, 1023, 1024, 1025, 5000}) {
    const Ids ids = ascending(count, count);
    std::vector<float> weights(count);
    for (std::size_t i = 0; i < count; ++i) weights[i] = static_cast<float>(i) / 3;
    for (const std::uint32_t at : {0U, 1U, 255U, format_.slots_per_block() - 40}) {
      const std::uint64_t slots = format_.slots(ids, at);
      ASSERT_GT(slots, 0U);
      const std::vector<std::byte> blocks = written(ids, weights, at);
      const std::uint64_t last = (at + slots - 1) / format_.slots_per_block();
      Ids found;
      Ids buffer(format_.most_edges());
      std::vector<float> weight_buffer(buffer.size());
      for (std::uint64_t b = last + 1; b-- > 0;) {  // from last to first: each piece decodes alone
        const std::uint32_t begin = b == 0 ? at : 0;
        const auto end = static_cast<std::uint32_t>(
            b == last ? at + slots - b * format_.slots_per_block() : format_.slots_per_block());
        const BlockPart part{b, begin, end - begin, b * format_.slots_per_block() + begin - at};
        const std::byte* data = blocks.data() + b * 4096;
        const DecodedPiece piece = format_.read(part, data, {buffer.data(), weight_buffer.data()});
        if (format_.encoded()) {
          EXPECT_EQ(format_.checked_bytes({data + begin, 4096 - begin}), piece.bytes);
        }
        found.insert(found.begin(), piece.ids, piece.ids + piece.count);
        EXPECT_EQ(piece.weights != nullptr, format_.weighted());
        for (std::uint32_t i = 0; format_.weighted() && i < piece.count; ++i) {
          EXPECT_EQ(piece.weights[i], weights[piece.first + i]);
        }
        EXPECT_EQ(piece.first + found.size(), ids.size());
      }
      EXPECT_EQ(found, ids) << count << " from slot " << at;
    }
  }
}

TEST_P(EveryCodec, SaysWhenNotOneEdgeFits) {
  const Ids ids = {std::numeric_limits<VertexId>::max() - 1, std::numeric_limits<VertexId>::max()};
  std::uint32_t room = 1;
  while (format_.slots(ids, format_.slots_per_block() - room) == 0) ++room;
  EXPECT_LE(room, 11U);
  EXPECT_EQ(room == 1, !format_.encoded());
  EXPECT_EQ(format_.slots({}, 3), 0U);
}

// Raw pieces have no stored length.
class EveryPackingCodec : public EveryCodec {};

TEST_P(EveryPackingCodec, SeesPiecesThatEndBehindTheBlock) {
  const Ids ids = ascending(100, 3);
  std::vector<std::byte> blocks = written(ids, std::vector<float>(100, 1), 0);
  const std::uint32_t bytes = format_.checked_bytes(std::span(blocks).first(4096));
  EXPECT_EQ(bytes, format_.slots(ids));
  for (std::uint32_t cut = 0; cut < bytes; ++cut) {
    EXPECT_EQ(format_.checked_bytes(std::span(blocks).first(cut)), 0U) << cut;
  }
  const std::vector<std::byte> free(4096, std::byte{0xff});
  EXPECT_EQ(format_.checked_bytes(free), 0U);
}

// Whatever the bytes are, nothing is read or written outside the block and the buffers.
TEST_P(EveryPackingCodec, StaysWithinTheBlockOnAnyBytes) {
  std::vector<std::byte> bytes(512 + kReadAhead);
  const PieceFormat small(codec_, format_.weighted(), 512);
  Ids ids(small.most_edges());
  std::vector<float> weights(small.most_edges());
  std::size_t read = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    for (std::size_t i = 0; i < 16; ++i) bytes[i] = static_cast<std::byte>(mix(seed * 16 + i));
    for (std::size_t i = 16; i < 512; ++i) bytes[i] = bytes[i % 16 + seed % 4];
    // An exact copy, so that the address sanitizer notices any byte read after it.
    const std::vector<std::byte> block(bytes.begin(), bytes.begin() + 512);
    const std::uint32_t checked = small.checked_bytes(block);
    try {
      const auto slot = static_cast<std::uint32_t>(seed % 512);
      const DecodedPiece piece =
          small.read({.slot = slot}, bytes.data(), {ids.data(), weights.data()});
      EXPECT_LE(piece.bytes, 512U - slot);
      EXPECT_LE(piece.count, 512U - slot);
      if (slot == 0 && checked > 0) {
        EXPECT_EQ(piece.bytes, checked);
      }
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_TRUE(seed % 512 != 0 || checked == 0);
      ++refused;
    }
  }
  EXPECT_GT(read, 0U);
  EXPECT_GT(refused, 0U);
}

std::vector<std::string> codecs(bool packing_only) {
  std::vector<std::string> names;
  for (const CodecPart& codec : codec_parts()) {
    if (!packing_only || codec.encode != nullptr) names.push_back(codec.name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Codecs, EveryCodec,
                         testing::Combine(testing::ValuesIn(codecs(false)), testing::Bool()));
INSTANTIATE_TEST_SUITE_P(Codecs, EveryPackingCodec,
                         testing::Combine(testing::ValuesIn(codecs(true)), testing::Bool()));

}  // namespace
}  // namespace outcore
