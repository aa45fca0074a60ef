// SPDX-License-Identifier: Apache-2.0
// All expected sizes are counted by hand, in the comments.
#include "storage/sizes/list_sizes.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace outcore {
namespace {

using List = std::vector<VertexId>;

TEST(ListSizes, NumbersOf7BitsAByte) {
  EXPECT_EQ(bytes_of_7_bits(0), 1U);
  EXPECT_EQ(bytes_of_7_bits(127), 1U);
  EXPECT_EQ(bytes_of_7_bits(128), 2U);
  EXPECT_EQ(bytes_of_7_bits((1U << 14) - 1), 2U);
  EXPECT_EQ(bytes_of_7_bits(1U << 14), 3U);
  EXPECT_EQ(bytes_of_7_bits(1U << 21), 4U);
  EXPECT_EQ(bytes_of_7_bits(0xffffffff), 5U);
}

TEST(ListSizes, NumbersOfWholeBytes) {
  EXPECT_EQ(bytes_of_8_bits(0), 1U);
  EXPECT_EQ(bytes_of_8_bits(255), 1U);
  EXPECT_EQ(bytes_of_8_bits(256), 2U);
  EXPECT_EQ(bytes_of_8_bits(65536), 3U);
  EXPECT_EQ(bytes_of_8_bits(0xffffffff), 4U);
}

TEST(ListSizes, LigraPlusTakesTheFirstIdRelativeToTheSource) {
  EXPECT_EQ(ligra_plus_list_bytes(0, List{}), 0U);
  EXPECT_EQ(ligra_plus_list_bytes(1000, List{1063}), 1U);   // 63: 6 bits
  EXPECT_EQ(ligra_plus_list_bytes(1000, List{937}), 1U);    // -63
  EXPECT_EQ(ligra_plus_list_bytes(1000, List{1064}), 2U);   // 64: one bit in the next byte
  EXPECT_EQ(ligra_plus_list_bytes(10000, List{1809}), 2U);  // -8191: 13 bits
  EXPECT_EQ(ligra_plus_list_bytes(10000, List{1808}), 3U);  // -8192
}

TEST(ListSizes, LigraPlusGroupsDifferencesOfOneWidth) {
  // 2 minus 1 in a byte; 3 in a run of one byte each, 295 in a run of two bytes each.
  EXPECT_EQ(ligra_plus_list_bytes(1, List{2, 5, 300}), 1 + (1 + 1) + (1 + 2U));
  // The widths 1 1 2 2 1 make three runs.
  EXPECT_EQ(ligra_plus_list_bytes(0, List{1, 2, 3, 1003, 2003, 2004}),
            1 + (1 + 2) + (1 + 4) + (1 + 1U));
  // 64 differences are one run, 65 are two.
  List list(65);
  std::iota(list.begin(), list.end(), VertexId{0});
  EXPECT_EQ(ligra_plus_list_bytes(0, list), 1 + (1 + 64U));
  list.push_back(65);
  EXPECT_EQ(ligra_plus_list_bytes(0, list), 1 + (1 + 64) + (1 + 1U));
}

}  // namespace
}  // namespace outcore
