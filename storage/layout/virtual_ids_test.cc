// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/virtual_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::future<std::vector<VertexId>> asked(VirtualIds& ids, VertexId begin, VertexId end) {
  return std::async(std::launch::async, [&ids, begin, end] { return ids.within(begin, end); });
}

TEST(VirtualIds, AreToldOnceAllOfTheRangeAreKnown) {
  VirtualIds ids;
  auto found = asked(ids, 10, 30);
  const std::vector<VertexId> first = {3, 12};
  ids.add(first, 20);
  const std::vector<VertexId> second = {21, 29, 30};
  ids.add(second, 40);
  EXPECT_THAT(found.get(), ElementsAre(12, 21, 29));
  EXPECT_THAT(ids.within(13, 21), IsEmpty());
}

TEST(VirtualIds, KeepNobodyWaitingForATableThatIsBroken) {
  VirtualIds ids;
  auto found = asked(ids, 0, 100);
  const std::vector<VertexId> known = {7};
  ids.add(known, 50);
  ids.stop();
  EXPECT_THAT(found.get(), ElementsAre(7));
}

}  // namespace
}  // namespace outcore
