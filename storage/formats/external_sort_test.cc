// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/external_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/hash.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

fs::path scratch_path() { return fs::path(testing::TempDir()) / "external_sort_scratch"; }

std::vector<std::uint64_t> sort_externally(const std::vector<std::uint64_t>& keys,
                                           std::size_t expected_runs) {
  ExternalSort sort(scratch_path(), ExternalSort::kLeastMemory, 2);
  for (const std::uint64_t key : keys) sort.add(key);
  EXPECT_EQ(sort.size(), keys.size());
  EXPECT_EQ(sort.spilled_runs(), expected_runs);
  std::vector<std::uint64_t> sorted;
  sort.merge([&](auto batch) { sorted.insert(sorted.end(), batch.begin(), batch.end()); });
  return sorted;
}

TEST(ExternalSort, SortsInMemoryAndOverManyRuns) {
  constexpr std::size_t kRun = ExternalSort::kLeastMemory / 16;
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kRun, kRun + 1, 5 * kRun + 17}) {
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = mix(i) % 100000;  // with duplicates
    std::vector<std::uint64_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(sort_externally(keys, count <= kRun ? 0 : (count - 1) / kRun), expected);
  }
}

TEST(ExternalSort, KeepsTheGreatestKeyInEveryRun) {
  const std::vector<std::uint64_t> keys(3 * ExternalSort::kLeastMemory / 16, ~std::uint64_t{0});
  EXPECT_EQ(sort_externally(keys, 2), keys);
}

TEST(ExternalSort, RemovesItsScratchFile) {
  std::vector<std::uint64_t> keys(ExternalSort::kLeastMemory / 8);
  sort_externally(keys, 1);
  EXPECT_FALSE(fs::exists(scratch_path()));
}

}  // namespace
}  // namespace outcore
