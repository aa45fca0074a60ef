// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/external_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/hash.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

template <typename Record>
class ExternalSortTest : public testing::Test {
 protected:
  // Records that a buffer of the least memory holds.
  static constexpr std::size_t kRun = kLeastSortMemory / (2 * sizeof(Record));

  static Record record(std::uint64_t i) {
    if constexpr (std::is_same_v<Record, WeightedKey>) {
      return {static_cast<VertexId>(mix(i) % 300), static_cast<VertexId>(mix(~i) % 300),
              static_cast<std::uint32_t>(mix(i) >> 60)};
    } else {
      return mix(i) % 100000;  // with duplicates
    }
  }
  std::vector<Record> sort_externally(const std::vector<Record>& records,
                                      std::size_t expected_runs) const {
    ExternalSort<Record> sort(scratch_, kLeastSortMemory, 2);
    for (const Record& record : records) sort.add(record);
    EXPECT_EQ(sort.size(), records.size());
    EXPECT_EQ(sort.spilled_runs(), expected_runs);
    std::vector<Record> sorted;
    sort.merge([&](auto batch) { sorted.insert(sorted.end(), batch.begin(), batch.end()); });
    return sorted;
  }

  fs::path scratch_ = fs::path(testing::TempDir()) / "external_sort_scratch";
};

using Records = testing::Types<EdgeKey, WeightedKey>;
TYPED_TEST_SUITE(ExternalSortTest, Records);

TYPED_TEST(ExternalSortTest, SortsInMemoryAndOverManyRuns) {
  constexpr std::size_t kFits = TestFixture::kRun;
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, kFits, kFits + 1, 5 * kFits + 17}) {
    std::vector<TypeParam> records(count);
    for (std::size_t i = 0; i < count; ++i) records[i] = TestFixture::record(i);
    std::vector<TypeParam> expected = records;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(this->sort_externally(records, count <= kFits ? 0 : (count - 1) / kFits), expected);
  }
}

TYPED_TEST(ExternalSortTest, RemovesItsScratchFile) {
  std::vector<TypeParam> records(2 * TestFixture::kRun);
  this->sort_externally(records, 1);
  EXPECT_FALSE(fs::exists(this->scratch_));
}

TEST(ExternalSort, KeepsTheGreatestKeyInEveryRun) {
  const std::vector<EdgeKey> keys(3 * kLeastSortMemory / 16, ~EdgeKey{0});
  ExternalSort<EdgeKey> sort(fs::path(testing::TempDir()) / "external_sort_scratch",
                             kLeastSortMemory, 2);
  for (const EdgeKey key : keys) sort.add(key);
  std::vector<EdgeKey> sorted;
  sort.merge([&](auto batch) { sorted.insert(sorted.end(), batch.begin(), batch.end()); });
  EXPECT_EQ(sorted, keys);
}

}  // namespace
}  // namespace outcore
