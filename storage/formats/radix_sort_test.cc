// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/hash.h"

namespace outcore {
namespace {

std::vector<std::uint64_t> sorted_by_radix(std::vector<std::uint64_t> keys, unsigned threads) {
  std::vector<std::uint64_t> scratch(keys.size());
  radix_sort(keys, scratch, threads);
  return keys;
}

TEST(RadixSort, AgreesWithStdSortOnEveryWidthAndThreadCount) {
  for (const std::size_t count : {0, 1, 2, 4095, 4096, 50021}) {
    for (const unsigned bits : {1U, 11U, 12U, 33U, 64U}) {
      std::vector<std::uint64_t> keys(count);
      for (std::size_t i = 0; i < count; ++i) keys[i] = mix(i) >> (64 - bits);
      std::vector<std::uint64_t> expected = keys;
      std::sort(expected.begin(), expected.end());
      for (const unsigned threads : {1U, 2U, 7U}) {
        EXPECT_EQ(sorted_by_radix(keys, threads), expected) << count << " keys of " << bits;
      }
    }
  }
}

TEST(RadixSort, SortsByTheHighestBitsWhereOnlyTheyDiffer) {
  std::vector<std::uint64_t> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = mix(i) & (std::uint64_t{7} << 61);
  std::vector<std::uint64_t> expected = keys;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_by_radix(keys, 2), expected);
}

}  // namespace
}  // namespace outcore
