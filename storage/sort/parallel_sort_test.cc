// SPDX-License-Identifier: Apache-2.0
#include "storage/sort/parallel_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "common/hash.h"

namespace outcore {
namespace {

template <typename Record>
void expect_sorted_like_std(const std::vector<Record>& records, unsigned threads) {
  for (const SortBy by : {SortBy::all, SortBy::upper}) {
    std::vector<Record> expected = records;
    std::stable_sort(expected.begin(), expected.end(), [&](const Record& a, const Record& b) {
      return by == SortBy::all ? a < b : parts_of(a).source < parts_of(b).source;
    });
    std::vector<Record> input = records;
    std::vector<Record> scratch(records.size());
    const std::span<Record> sorted = parallel_sort<Record>(input, scratch, threads, by);
    EXPECT_EQ(std::vector<Record>(sorted.begin(), sorted.end()), expected)
        << records.size() << " records, " << threads << " threads";
  }
}

TEST(ParallelSort, AgreesWithStdSortOnEveryWidthAndThreadCount) {
  for (const std::size_t count : {0, 1, 2, 100, 50021}) {
    for (const unsigned bits : {1U, 11U, 12U, 33U, 64U}) {
      std::vector<EdgeKey> keys(count);
      std::vector<WeightedKey> weighted(count);
      for (std::size_t i = 0; i < count; ++i) {
        keys[i] = mix(i) >> (64 - bits);
        const auto [source, target] = parts_of(keys[i]);
        weighted[i] = {source, target % 16, static_cast<std::uint32_t>(mix(~i) >> bits / 2)};
      }
      for (const unsigned threads : {1U, 2U, 7U}) {
        expect_sorted_like_std(keys, threads);
        expect_sorted_like_std(weighted, threads);
      }
    }
  }
}

// More than are sorted in one core's cache.
constexpr std::size_t kMany = 1'200'000;

TEST(ParallelSort, DealsOutWhatDoesNotFitACache) {
  for (const unsigned bits : {10U, 23U, 64U}) {
    std::vector<EdgeKey> keys(kMany);
    for (std::size_t i = 0; i < kMany; ++i) keys[i] = mix(i) >> (64 - bits);
    expect_sorted_like_std(keys, 3);
  }
}

TEST(ParallelSort, DealsOutTheEdgesOfAHubAgain) {
  std::vector<EdgeKey> keys(kMany);
  std::vector<WeightedKey> weighted(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    const auto source = static_cast<VertexId>(i % 8 == 0 ? mix(i) % 100'000 : 5);
    const auto target = static_cast<VertexId>(mix(~i) % 100'000);
    keys[i] = std::uint64_t{source} << 32 | target;
    weighted[i] = {source, target, static_cast<std::uint32_t>(i % 7)};
  }
  expect_sorted_like_std(keys, 2);
  expect_sorted_like_std(weighted, 2);
}

TEST(ParallelSort, SortsByTheHighestBitsWhereOnlyTheyDiffer) {
  std::vector<EdgeKey> keys(5000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = mix(i) & (std::uint64_t{7} << 61);
  expect_sorted_like_std(keys, 2);
}

TEST(SortRecords, WeightsKeepTheirOrderAndComeBack) {
  const std::vector<float> ascending = {-INFINITY, -3e38F, -1, -1e-45F, -0.0F,   0.0F,
                                        1e-45F,    0.5F,   1,  3e38F,   INFINITY};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const std::uint32_t order = weight_order(ascending[i]);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(weight_of(order)),
              std::bit_cast<std::uint32_t>(ascending[i]));
    if (i > 0) {
      EXPECT_LT(weight_order(ascending[i - 1]), order) << ascending[i];
    }
  }
}

}  // namespace
}  // namespace outcore
