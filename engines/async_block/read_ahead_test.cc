// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/read_ahead.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

// So many are read for as long as it lasts, and the first `lost` of each nine are lost.
std::uint32_t read_until_it_ends(ReadAhead& ahead, std::uint32_t most, std::uint32_t lost) {
  std::uint32_t read = 0;
  for (; read < most && ahead.left() > 0; ++read) {
    ahead.read();
    read % 9 < lost ? ahead.lose() : ahead.use();
  }
  return read;
}

TEST(ReadAhead, IsNothingUnlessItIsAllowed) { EXPECT_EQ(ReadAhead().left(), 0U); }

TEST(ReadAhead, EndsWhereNothingIsUsed) {
  ReadAhead ahead;
  ahead.allow(10);
  EXPECT_EQ(read_until_it_ends(ahead, 1000, 9), 10U);
  ahead.allow(10);
  EXPECT_EQ(ahead.left(), 0U) << "what was lost counts on";
}

TEST(ReadAhead, EndsWhereMoreThanOneInNineIsLost) {
  ReadAhead ahead;
  ahead.allow(10);
  EXPECT_LT(read_until_it_ends(ahead, 1000, 2), 100U);
}

TEST(ReadAhead, GoesOnWhereOneInNineIsLost) {
  ReadAhead ahead;
  ahead.allow(10);
  EXPECT_EQ(read_until_it_ends(ahead, 1000, 1), 1000U);
  EXPECT_GE(ahead.left(), 9U);
}

TEST(ReadAhead, WaitsForThoseThatAreNotUsedYet) {
  ReadAhead ahead;
  ahead.allow(3);
  for (int block = 0; block < 3; ++block) ahead.read();
  EXPECT_EQ(ahead.left(), 0U);
  ahead.use();
  EXPECT_EQ(ahead.left(), 1U);
}

}  // namespace
}  // namespace outcore
