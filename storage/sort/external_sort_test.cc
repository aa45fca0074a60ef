// SPDX-License-Identifier: Apache-2.0
#include "storage/sort/external_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/error.h"
#include "common/hash.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

template <typename Record>
class ExternalSortTest : public testing::Test {
 protected:
  // The number of records in a buffer of the smallest memory.
  static constexpr std::size_t kRun = kLeastSortMemory / (2 * sizeof(Record));

  static Record record(std::uint64_t i) {
    if constexpr (std::is_same_v<Record, WeightedKey>) {
      return {static_cast<VertexId>(mix(i) % 300), static_cast<VertexId>(mix(~i) % 300),
              static_cast<std::uint32_t>(mix(i) >> 60)};
    } else {
      return mix(i) % 100000;  // with duplicates
    }
  }
  std::vector<Record> sort_externally(const std::vector<Record>& records, SortBy by,
                                      std::size_t expected_runs) const {
    ExternalSort<Record> sort(scratch_, kLeastSortMemory, 2, by);
    for (const Record& record : records) sort.add(record);
    EXPECT_EQ(sort.size(), records.size());
    EXPECT_EQ(sort.spilled_runs(), expected_runs);
    std::vector<Record> sorted;
    sort.merge([&](auto batch) { sorted.insert(sorted.end(), batch.begin(), batch.end()); });
    return sorted;
  }
  void expect_sorted(const std::vector<Record>& records) const {
    const std::size_t count = records.size();
    for (const SortBy by : {SortBy::all, SortBy::upper}) {
      std::vector<Record> expected = records;
      std::stable_sort(expected.begin(), expected.end(), [&](const Record& a, const Record& b) {
        return by == SortBy::all ? a < b : parts_of(a).source < parts_of(b).source;
      });
      EXPECT_EQ(sort_externally(records, by, count <= kRun ? 0 : (count - 1) / kRun), expected);
    }
  }
  static Record with_source(std::uint64_t source, std::uint64_t i) {
    if constexpr (std::is_same_v<Record, WeightedKey>) {
      return {static_cast<VertexId>(source), static_cast<VertexId>(mix(i)), 0};
    } else {
      return source << 32 | mix(i) >> 32;
    }
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
    this->expect_sorted(records);
  }
}

TYPED_TEST(ExternalSortTest, SortsWhatIsSortedAndWhatIsSkewed) {
  constexpr std::size_t kCount = 6 * TestFixture::kRun + 5;
  std::vector<TypeParam> ascending, descending, skewed, hub;
  for (std::size_t i = 0; i < kCount; ++i) {
    ascending.push_back(TestFixture::with_source(i, i));
    descending.push_back(TestFixture::with_source(kCount - i, i));
    skewed.push_back(TestFixture::with_source((mix(i) % 1000) * (mix(~i) % 1000) / 5000, i));
    // One source fills three buffers, at the end, in the middle or at the front of everything.
    hub.push_back(TestFixture::with_source(i % 2 == 0 ? mix(i) % 500 : 250, i));
  }
  this->expect_sorted(hub);
  if (kThreadSanitized) return;
  for (const auto& records : {ascending, descending, skewed}) this->expect_sorted(records);
}

TYPED_TEST(ExternalSortTest, SortsMoreOfOneRecordThanABufferHolds) {
  const TypeParam most = TestFixture::with_source(~VertexId{0}, 1);
  std::vector<TypeParam> records(4 * TestFixture::kRun, most);
  this->expect_sorted(records);
  for (std::size_t i = 0; i < records.size(); i += 3) records[i] = TestFixture::record(i);
  this->expect_sorted(records);
}

// Nothing of the records before is left, whether there were more of them or fewer.
TYPED_TEST(ExternalSortTest, StartsAgainWithItsMemoryAndItsFile) {
  ExternalSort<TypeParam> sort(this->scratch_, kLeastSortMemory, 2);
  for (const std::size_t runs : {3, 1, 0, 4}) {
    const SortBy by = runs % 2 == 0 ? SortBy::all : SortBy::upper;
    sort.start_again(by);
    std::vector<TypeParam> records(runs * TestFixture::kRun + 5);
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = TestFixture::record(i + runs);
    for (const TypeParam& record : records) sort.add(record);
    std::vector<TypeParam> sorted;
    sort.merge([&](auto batch) { sorted.insert(sorted.end(), batch.begin(), batch.end()); });
    std::stable_sort(records.begin(), records.end(), [&](const auto& a, const auto& b) {
      return by == SortBy::all ? a < b : parts_of(a).source < parts_of(b).source;
    });
    EXPECT_EQ(sorted, records) << runs;
  }
}

TYPED_TEST(ExternalSortTest, RemovesItsScratchFile) {
  std::vector<TypeParam> records(2 * TestFixture::kRun);
  this->sort_externally(records, SortBy::all, 1);
  EXPECT_FALSE(fs::exists(this->scratch_));
}

TYPED_TEST(ExternalSortTest, RefusesMoreRunsThanItsMemoryCanTellApart) {
  if (kThreadSanitized) GTEST_SKIP() << "hundreds of runs, one like another";
  ExternalSort<TypeParam> sort(this->scratch_, kLeastSortMemory, 2);
  const std::size_t most = TestFixture::kRun / 64 / 2;
  EXPECT_THROW(
      {
        for (std::size_t i = 0; i < (most + 2) * TestFixture::kRun; ++i) sort.add({});
      },
      Error);
  EXPECT_EQ(sort.spilled_runs(), most);
}

}  // namespace
}  // namespace outcore
