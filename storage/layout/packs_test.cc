// SPDX-License-Identifier: Apache-2.0
// Where packs put lists: worked examples, what holds for every pack, and how many slots stay free.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "common/hash.h"
#include "storage/layout/packs/lplf.h"
#include "storage/layout/parts.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Lengths = std::vector<std::uint64_t>;

constexpr std::uint32_t kSlots = 64;

// As in graphs: mostly short lists, some empty, a few longer than several blocks.
Lengths skewed_lengths(std::uint64_t lists, std::uint64_t seed) {
  Lengths lengths;
  for (std::uint64_t i = 0; i < lists; ++i) {
    lengths.push_back(300 / (1 + mix(seed * lists + i) % 400));
  }
  return lengths;
}

std::uint64_t least_blocks(const Lengths& lengths) {
  const std::uint64_t slots = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  return (slots + kSlots - 1) / kSlots;
}

// What is wrong with a packing; empty if nothing is.
std::string fault(const Lengths& lengths, const Packing& packing, bool straddling) {
  if (packing.positions.size() != lengths.size()) return "another number of lists";
  std::vector<bool> used(packing.blocks * kSlots);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::uint64_t begin = packing.positions[i];
    const std::string list = "list " + std::to_string(i);
    if (begin + lengths[i] > used.size()) return list + " behind the last block";
    const bool fits = begin % kSlots + lengths[i] <= kSlots;
    const bool may_be_cut = lengths[i] > kSlots && begin % kSlots == 0;
    if (!straddling && !fits && !may_be_cut) return list + " cut";
    for (std::uint64_t slot = begin; slot < begin + lengths[i]; ++slot) {
      if (used[slot]) return list + " over another";
      used[slot] = true;
    }
  }
  return {};
}

TEST(EveryPack, KeepsListsApartAndWholeInTheBlocksItReports) {
  for (const PackPart& pack : pack_parts()) {
    LayoutChoices choices;
    choices.pack = pack.name;
    const Parameters parameters = complete_choices(choices).pack_parameters;
    for (const std::uint64_t lists : {0, 1, 2, 100, 5000}) {
      const Lengths lengths = skewed_lengths(lists, 1);
      const Packing packing = pack.pack(lengths, {kSlots}, parameters, {});
      EXPECT_THAT(fault(lengths, packing, pack.straddling), IsEmpty()) << pack.name << " " << lists;
      EXPECT_GE(packing.blocks, least_blocks(lengths)) << pack.name;
    }
  }
}

// Lists whose length depends on where they begin, as with codecs: 3 slots, plus one for each block
// border. A list does not fit if it would begin in the last slot of a block.
TEST(Csr, AsksForTheLengthWhereTheListComesToLie) {
  const Lengths some = {1, 1, 0, 1, 1};
  const Packing packing = pack_csr(some, {4}, {}, [](std::size_t, std::uint32_t at) {
    return at == 3 ? std::uint64_t{0} : 3 + (at + 3) / 5;
  });
  // 3 at 0; does not fit at 3, so 3 at 4; nothing at 7; again at 8; at 12.
  EXPECT_THAT(packing.positions, ElementsAre(0, 4, 7, 8, 12));
  EXPECT_EQ(packing.blocks, 4U);
}

TEST(Lplf, TakesTheLastBlockWithRoomInTheWindow) {
  const Lengths lengths = {3, 2, 1, 2, 1, 1, 1, 1, 9, 0, 3, 3};
  for (const auto& form : {lplf_by_scan, lplf_by_tree}) {
    const Packing packing = form(lengths, 4, 2);
    // 3 -> block 0, 2 -> block 1; 1 -> block 1, not the one slot of block 0; 2 -> block 2, so block
    // 0 leaves the window; 1, 1 -> block 2; 1 -> block 1; 1 -> block 3, because block 0 is out of
    // the window; 9 -> blocks 4, 5, 6; 3 -> the rest of block 6; 3 -> block 7, because block 3 is
    // out.
    EXPECT_THAT(packing.positions, ElementsAre(0, 4, 6, 8, 10, 11, 7, 12, 16, 0, 25, 28));
    EXPECT_EQ(packing.blocks, 8U);
  }
}

TEST(Lplf, PlacesEveryListAlikeByScanAndByTree) {
  for (const std::uint64_t window : {1, 2, 3, 8, 63, 64, 100, 1000}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Lengths lengths = skewed_lengths(4000, seed);
      const Packing by_scan = lplf_by_scan(lengths, kSlots, window);
      const Packing by_tree = lplf_by_tree(lengths, kSlots, window);
      EXPECT_EQ(by_scan.positions, by_tree.positions) << window << " " << seed;
      EXPECT_EQ(by_scan.blocks, by_tree.blocks);
      EXPECT_THAT(fault(lengths, by_scan, false), IsEmpty());
    }
  }
}

Parameters windowed(std::uint64_t window, std::uint64_t ranges) {
  return {"pack lplf",
          pack_part("lplf").parameters,
          {fmt::format("window={}", window), fmt::format("ranges={}", ranges)}};
}

TEST(Lplf, NeverGoesBackFurtherThanItsWindow) {
  const Lengths lengths = skewed_lengths(4000, 4);
  for (const std::uint64_t window : {1, 8, 64}) {
    const Packing packing = pack_lplf(lengths, {kSlots}, windowed(window, 1));
    BlockId blocks = 0;  // begun so far
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] == 0) continue;
      const BlockId first = packing.positions[i] / kSlots;
      EXPECT_GE(first + window, blocks) << "list " << i;
      blocks = std::max(blocks, (packing.positions[i] + lengths[i] - 1) / kSlots + 1);
    }
  }
}

TEST(Lplf, PacksEachRangeByItselfOneAfterTheOther) {
  const Lengths lengths = skewed_lengths(3001, 5);
  for (const std::uint64_t window : {8, 100}) {  // one for each way
    Packing expected;
    for (std::size_t r = 0; r < 3; ++r) {
      const std::size_t begin = lengths.size() * r / 3;
      const std::size_t end = lengths.size() * (r + 1) / 3;
      const auto at = [&](std::size_t i) {
        return lengths.begin() + static_cast<std::ptrdiff_t>(i);
      };
      const Packing part = lplf_by_scan(Lengths(at(begin), at(end)), kSlots, window);
      for (const std::uint64_t position : part.positions) {
        expected.positions.push_back(position + expected.blocks * kSlots);
      }
      expected.blocks += part.blocks;
    }
    const Packing packing = pack_lplf(lengths, {kSlots}, windowed(window, 3));
    EXPECT_EQ(packing.positions, expected.positions);
    EXPECT_EQ(packing.blocks, expected.blocks);
  }
}

TEST(Lplf, TakesMoreRangesThanLists) {
  const Lengths lengths = {5, 6};
  const Packing packing = pack_lplf(lengths, {kSlots}, windowed(8, 7));
  EXPECT_THAT(packing.positions, ElementsAre(0, kSlots));
  EXPECT_EQ(packing.blocks, 2U);
}

TEST(Bestfit, TakesTheTightestBlockForTheLongestListFirst) {
  // 25 -> blocks 0, 1, 2 with 5 slots free; 18 -> blocks 3, 4 with 2 free; 4 -> block 2, whose last
  // slot stays; 2 -> block 4, which is full then; 2 -> block 5; 1 -> block 2.
  const Lengths lengths = {1, 2, 2, 25, 0, 4, 18};
  const Packing packing = pack_bestfit(lengths, {10});
  EXPECT_THAT(packing.positions, ElementsAre(29, 48, 50, 0, 0, 25, 30));
  EXPECT_EQ(packing.blocks, 6U);
}

TEST(Bestfit, LeavesNoSlotFreeButInTheLastBlockWhereShortListsSuffice) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Lengths lengths = skewed_lengths(5000, seed);
    EXPECT_EQ(pack_bestfit(lengths, {kSlots}).blocks, least_blocks(lengths));
  }
}

TEST(Lplf, WastesLessWithAWiderWindowAndMoreWithMoreRanges) {
  const Lengths lengths = skewed_lengths(20'000, 6);
  const auto blocks = [&](std::uint64_t window, std::uint64_t ranges) {
    return pack_lplf(lengths, {kSlots}, windowed(window, ranges)).blocks;
  };
  EXPECT_LT(blocks(8, 1), blocks(1, 1));
  EXPECT_LE(blocks(100'000, 1), blocks(8, 1));
  EXPECT_LT(blocks(8, 1), blocks(8, 100));
  // With every block in the window no two blocks fit into one: less than twice the least number.
  EXPECT_LT(blocks(100'000, 1), 2 * least_blocks(lengths) + 1);
}

}  // namespace
}  // namespace outcore
