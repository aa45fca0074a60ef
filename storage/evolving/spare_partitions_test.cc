// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/spare_partitions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "storage/evolving/memory_nodes.h"

namespace outcore::evolving {
namespace {

const Placement& anywhere() {
  static const Placement placement(PlaceLists::none, MemoryNodes::of_machine(), 1);
  return placement;
}

TEST(SparePartitions, MemoryThatWasDroppedIsUsedAgain) {
  const auto spares = std::make_shared<SparePartitions>(anywhere());
  Partition first;
  first.records[kPartitionVertices - 1].chain = 7;
  auto copy = SparePartitions::copy(spares, first, 0);
  EXPECT_EQ(copy->records[kPartitionVertices - 1].chain, 7U);
  const Partition* const place = copy.get();
  copy.reset();
  copy = SparePartitions::copy(spares, Partition{}, 0);
  EXPECT_EQ(copy.get(), place);
  EXPECT_EQ(copy->records[kPartitionVertices - 1].chain, 0U) << "as it was before";
}

TEST(SparePartitions, CopiesLieApartInLinesOfTheirOwn) {
  const auto spares = std::make_shared<SparePartitions>(anywhere());
  std::vector<std::shared_ptr<Partition>> copies;
  std::set<std::uintptr_t> places;
  const Partition empty;
  for (int i = 0; i < 130; ++i) {  // more than two slabs
    copies.push_back(SparePartitions::copy(spares, empty, 0));
    places.insert(reinterpret_cast<std::uintptr_t>(copies.back().get()));
  }
  ASSERT_EQ(places.size(), copies.size());
  std::uintptr_t end = 0;
  for (const std::uintptr_t place : places) {
    EXPECT_EQ(place % 64, 0U);
    EXPECT_GE(place, end);
    end = place + sizeof(Partition);
  }
}

}  // namespace
}  // namespace outcore::evolving
