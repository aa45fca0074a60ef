// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/lengths_index.h"

#include <gtest/gtest.h>

#include <map>

namespace outcore {
namespace {

// Gaps within a word of bits and over several; a list that is too long for an entry of two bytes.
const std::map<VertexId, std::uint64_t> kLengths = {{0, 3},   {1, 1},       {63, 7}, {64, 2},
                                                    {70, 70}, {500, 70000}, {501, 5}};

class LengthsIndexForms : public ::testing::TestWithParam<IndexForm> {};
INSTANTIATE_TEST_SUITE_P(Forms, LengthsIndexForms,
                         ::testing::Values(IndexForm::lengths, IndexForm::sparse),
                         [](const auto& tested) { return to_string(tested.param); });

TEST_P(LengthsIndexForms, FindsEachListBehindTheOnesBefore) {
  LengthsIndex made(GetParam());
  for (const auto& [v, length] : kLengths) made.add(v, length);
  const ListIndex index = made.finish();
  EXPECT_EQ(index.listed(), 502U);
  std::uint64_t position = 0;
  for (VertexId v = 0; v < 600; ++v) {
    const auto at = kLengths.find(v);
    ASSERT_EQ(index.degree(v), at == kLengths.end() ? 0 : at->second) << v;
    if (at == kLengths.end()) continue;
    const ListAddress list = index.address(v);
    EXPECT_EQ(list.position, position) << v;
    EXPECT_EQ(list.degree, at->second) << v;
    EXPECT_EQ(list.slots, at->second) << v;
    position += at->second;
  }
}

// Also of slots that are no power of two, as of ids of 3 bytes.
TEST(LengthsIndex, FindsTheBlocksOfAList) {
  for (const std::uint64_t slots : {1024U, 1365U, 4096U}) {
    LengthsIndex made(IndexForm::lengths, static_cast<std::uint32_t>(slots));
    made.add(0, 1);
    const ListIndex index = made.finish();
    for (const std::uint64_t block : {0ULL, 1ULL, 3ULL, 1000003ULL, (1ULL << 40) / slots - 1}) {
      const std::uint64_t begin = block * slots;
      EXPECT_EQ(index.first_block({begin, 1, 1}), block);
      EXPECT_EQ(index.last_block({begin, slots, slots}), block);
      EXPECT_EQ(index.last_block({begin, slots + 1, slots + 1}), block + 1);
      const BlockPart part = index.part({begin + 1, slots, slots}, block);
      EXPECT_EQ(part.slot, 1U);
      EXPECT_EQ(part.slots, slots - 1);
      EXPECT_EQ(index.part({begin + 1, slots, slots}, block + 1).slots, 1U);
    }
  }
}

TEST(LengthsIndex, OfFewListsTakesLessMemoryInFormSparse) {
  LengthsIndex lengths(IndexForm::lengths);
  LengthsIndex sparse(IndexForm::sparse);
  for (VertexId v = 0; v < 100'000; v += 100) {
    lengths.add(v, 1);
    sparse.add(v, 1);
  }
  EXPECT_LT(sparse.finish().memory_bytes() * 8, lengths.finish().memory_bytes());
}

}  // namespace
}  // namespace outcore
