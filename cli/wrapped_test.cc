// SPDX-License-Identifier: Apache-2.0
#include "cli/wrapped.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

TEST(Wrapped, BreaksLongLinesAtBlanksAndIndentsTheRest) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("  one two three four", 9, 2), "  one two\n    three\n    four");
  EXPECT_EQ(wrapped("one two three", 8, 0), "one two\nthree");
}

TEST(Wrapped, LeavesWhatFitsAsItIs) {
  EXPECT_EQ(wrapped("", 5, 2), "");
  EXPECT_EQ(wrapped("a  b\n\n  c d\n", 6, 2), "a  b\n\n  c d\n");
}

TEST(Wrapped, KeepsWordsWhole) {
  EXPECT_EQ(wrapped("internationally known", 5, 1), "internationally\n known");
  EXPECT_EQ(wrapped("   internationally", 5, 1), "   internationally");
  EXPECT_EQ(wrapped("an internationally", 2, 4), "an\n    internationally");
}

}  // namespace
}  // namespace outcore
