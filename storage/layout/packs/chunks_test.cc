// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/packs/chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/hash.h"
#include "storage/layout/parts.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Lengths = std::vector<std::uint64_t>;

using Given = std::vector<std::string>;

Parameters with(const Given& given) { return pack_settings("chunks", given); }

std::vector<std::uint64_t> thresholds(const Given& given) {
  std::vector<std::uint64_t> degrees;
  for (const LevelSize& level : chunk_levels(with(given))) {
    degrees.push_back(level.longest_bytes / 4);
  }
  return degrees;
}

TEST(ChunkLevels, AreThePrintedOnesOrThoseOfTheFormula) {
  EXPECT_THAT(thresholds({}), ElementsAre(1021, 7168, 58365, 465920));
  EXPECT_THAT(thresholds({"formula=1"}), ElementsAre(1021, 7170, 58365, 465922));
  EXPECT_THAT(thresholds({"levels=2"}), ElementsAre(1021, 7168));
  // Chunks other than the paper's: 512 / 4 - 3, 4096 / 4 - 126, ...
  EXPECT_THAT(thresholds({"smallest=512"}), ElementsAre(125, 898, 7293, 58242));
  EXPECT_THAT(thresholds({"d0=100"}), ElementsAre(100, 7168, 58365, 465920));
  EXPECT_THAT(thresholds({"d0=100", "formula=1"}), ElementsAre(100, 8091, 57444, 466843));
  EXPECT_EQ(chunk_levels(with({})).back().chunk_bytes, std::uint64_t{2} << 20);
}

TEST(ChunkLevels, RefuseWhatAChunkCannotHold) {
  const auto refuse = [](const Given& given, const std::string& text) {
    try {
      chunk_levels(with(given));
      ADD_FAILURE() << "expected an error with: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  };
  refuse({"d0=1025"}, "1025 neighbours as the longest list of level 0, expected 1 to 1024");
  refuse({"d1=1021"}, "1021 neighbours as the longest list of level 1, expected 1022 to 8192");
  refuse({"smallest=5000"}, "smallest=5000,factor=8: expected powers of two");
  refuse({"levels=5"}, "levels=5: expected a whole number from 1 to 4");
}

// Chunks of 64 and 128 slots for lists of up to 40 and 100, in blocks of 128 slots.
constexpr PackBlock kChunksBlock = {.slots = 128, .slot_bytes = 4};
Parameters small(std::uint64_t tail, std::uint64_t interleave) {
  return with({"levels=2", "smallest=256", "factor=2", "d0=40", "d1=100",
               "tail=" + std::to_string(tail), "interleave=" + std::to_string(interleave)});
}

TEST(Chunks, GoLevelByLevelAndSuperListsLast) {
  // 30 | 40, 20 | 10 in chunks of 64, which take two blocks; 90 | 50 in chunks of 128; 300.
  const Packing packing = pack_chunks({30, 40, 20, 0, 90, 50, 300, 10}, kChunksBlock, small(0, 0));
  EXPECT_THAT(packing.positions, ElementsAre(0, 64, 104, 0, 256, 384, 512, 128));
  EXPECT_THAT(packing.levels,
              ElementsAre(ChunkLevel{256, 0, 2}, ChunkLevel{512, 2, 4}, ChunkLevel{0, 4, 7}));
  EXPECT_EQ(packing.blocks, 7U);
}

TEST(Chunks, FillTheirEndsFromTheTail) {
  // The last quarter of four lists: the 10, which is placed after the 30.
  const Packing packing = pack_chunks({30, 40, 20, 0, 90, 50, 300, 10}, kChunksBlock, small(25, 0));
  EXPECT_THAT(packing.positions, ElementsAre(0, 64, 104, 0, 128, 256, 384, 30));
  EXPECT_EQ(packing.blocks, 6U);
}

TEST(Chunks, TakeTheLongestOfTheTailThatFitsAndThenWhatStillDoes) {
  // Tail: 9, 12, 12, 5, 13. After the 40, 24 slots are left: 13 and 9, not 12 and 12. After the 30,
  // 34 slots: 12, 12, 5. Nothing is left when their turn comes.
  const Packing packing =
      pack_chunks({40, 30, 40, 40, 40, 9, 12, 12, 5, 13}, kChunksBlock, small(50, 0));
  EXPECT_THAT(packing.positions, ElementsAre(0, 64, 128, 192, 256, 53, 94, 106, 118, 40));
}

TEST(Chunks, InterleaveTheirFreeSlots) {
  // Chunk 0 has its free slots before its first list, chunk 1 between its two lists; on the next
  // level chunk 0 has them before its only list, chunk 1 after it.
  const Packing packing = pack_chunks({30, 40, 20, 0, 90, 50, 300, 10}, kChunksBlock, small(25, 1));
  EXPECT_THAT(packing.positions, ElementsAre(24, 64, 108, 0, 166, 256, 384, 54));
}

TEST(Chunks, MeasureListsInBytes) {
  // 8 bytes per slot: 20 slots are the 160 bytes that level 0 takes, and a chunk has 32 slots.
  const Packing packing = pack_chunks({20, 21, 12, 1}, {.slots = 64, .slot_bytes = 8}, small(0, 0));
  EXPECT_THAT(packing.positions, ElementsAre(0, 64, 20, 32));
  EXPECT_THAT(packing.levels,
              ElementsAre(ChunkLevel{256, 0, 1}, ChunkLevel{512, 1, 2}, ChunkLevel{0, 2, 2}));
}

// As in graphs: mostly short lists, some empty, a few longer than several blocks.
Lengths power_law_lengths(std::uint64_t lists, std::uint64_t seed) {
  Lengths lengths;
  for (std::uint64_t i = 0; i < lists; ++i) {
    lengths.push_back(600 / (1 + mix(seed * lists + i) % 800));
  }
  return lengths;
}

// A code with two slots per edge and three at the head of each piece; a block is not begun for less
// than one edge.
std::uint64_t encoded(std::uint64_t edges, std::uint32_t at) {
  std::uint64_t room = kChunksBlock.slots - at;
  if (room < 5) return 0;
  std::uint64_t slots = 0;
  while (edges > 0) {
    const std::uint64_t fit = std::min(edges, (room - 3) / 2);
    edges -= fit;
    slots += edges > 0 ? room : 3 + 2 * fit;
    room = kChunksBlock.slots;
  }
  return slots;
}

struct Placed {
  std::uint64_t begin, slots;
};

// What is wrong with a packing; empty if nothing is.
std::string fault(const std::vector<Placed>& lists, const Packing& packing,
                  std::uint32_t slot_bytes, const std::vector<LevelSize>& sizes) {
  std::vector<bool> used(packing.blocks * kChunksBlock.slots);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto& [begin, slots] = lists[i];
    if (slots == 0) continue;
    const std::string list = "list " + std::to_string(i);
    if (begin + slots > used.size()) return list + " behind the last block";
    const BlockId block = begin / kChunksBlock.slots;
    std::size_t level = 0;
    while (block >= packing.levels[level].end_block) ++level;
    const ChunkLevel& region = packing.levels[level];
    const std::uint64_t chunk = region.chunk_bytes / slot_bytes;
    const std::uint64_t from = begin - region.first_block * kChunksBlock.slots;
    if (chunk == 0 && from % kChunksBlock.slots != 0)
      return list + " is super and begins in a block";
    if (chunk > 0 && from / chunk != (from + slots - 1) / chunk) return list + " in two chunks";
    if (chunk > 0 && slots * slot_bytes > sizes[level].chunk_bytes) return list + " too long";
    for (std::uint64_t slot = begin; slot < begin + slots; ++slot) {
      if (used[slot]) return list + " over another";
      used[slot] = true;
    }
  }
  return {};
}

TEST(Chunks, KeepEveryListApartAndWithinOneChunkOfItsLevel) {
  for (const std::uint64_t tail : {0, 5, 100}) {
    for (const std::uint64_t interleave : {0, 1}) {
      for (const bool codes : {false, true}) {
        Parameters parameters = small(tail, interleave);
        const std::uint32_t slot_bytes = codes ? 1 : 4;
        const PackBlock block = {.slots = 128, .slot_bytes = slot_bytes};
        // In blocks of 128 bytes, so that borders cut encoded lists within chunks.
        const Lengths lengths = power_law_lengths(4000, tail + interleave);
        const SlotsAt slots_at = [&](std::size_t i, std::uint32_t at) {
          return encoded(lengths[i], at);
        };
        const Packing packing =
            pack_chunks(lengths, block, parameters, codes ? slots_at : SlotsAt{});
        std::vector<Placed> lists;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
          const std::uint64_t begin = packing.positions[i];
          const std::uint64_t slots =
              codes && lengths[i] > 0
                  ? encoded(lengths[i], static_cast<std::uint32_t>(begin % block.slots))
                  : lengths[i];
          lists.push_back({begin, slots});
        }
        EXPECT_THAT(fault(lists, packing, slot_bytes, chunk_levels(parameters)), IsEmpty())
            << tail << " " << interleave << " " << codes;
      }
    }
  }
}

TEST(Chunks, WasteLessWithATail) {
  const Lengths lengths = power_law_lengths(20'000, 3);
  const auto blocks = [&](std::uint64_t tail) {
    return pack_chunks(lengths, kChunksBlock, small(tail, 1)).blocks;
  };
  EXPECT_LT(blocks(5), blocks(0));
  EXPECT_LT(blocks(100), blocks(5));
}

}  // namespace
}  // namespace outcore
