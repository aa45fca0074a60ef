// SPDX-License-Identifier: Apache-2.0
#include "common/shell.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

TEST(ShellWord, IsQuotedOnlyWhereItHasToBe) {
  EXPECT_EQ(shell_word("graphs/k16-symmetric.el"), "graphs/k16-symmetric.el");
  EXPECT_EQ(shell_word("my graphs/k16"), "'my graphs/k16'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("Ann's"), R"('Ann'\''s')");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, IsNoOption) {
  EXPECT_EQ(shell_word("-graph"), "./-graph");
  EXPECT_EQ(shell_word("- graph"), "'./- graph'");
}

}  // namespace
}  // namespace outcore
