// SPDX-License-Identifier: Apache-2.0
#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

TEST(TextTable, AlignsNamesToTheLeftAndNumbersToTheRight) {
  TextTable table({"name", "n", "bytes"});
  EXPECT_TRUE(table.empty());
  table.add({"a", "1,000", "7"});
  table.add({"longer", "2"});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.text(),
            "  name        n  bytes\n"
            "  a       1,000      7\n"
            "  longer      2\n");
}

}  // namespace
}  // namespace outcore
