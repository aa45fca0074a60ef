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
