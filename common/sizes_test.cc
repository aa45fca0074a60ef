// SPDX-License-Identifier: Apache-2.0
#include "common/sizes.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

TEST(Sizes, ReadsUnitsAsPowersOf1024) {
  EXPECT_EQ(parse_size("4096", "--frames"), 4096U);
  EXPECT_EQ(parse_size("4K", "--frames"), 4096U);
  EXPECT_EQ(parse_size("1.5M", "--frames"), 1572864U);
  EXPECT_EQ(parse_size("2G", "--frames"), 2147483648U);
  EXPECT_EQ(parse_size("6%", "--frames", 1000), 60U);
}

TEST(Sizes, RefusesWhatIsNoSizeAndNamesTheOption) {
  for (const char* text : {"", "abc", "4X", "-1", "nan", "inf", "6%"}) {
    try {
      parse_size(text, "--frames");
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("--frames"), std::string::npos);
    }
  }
}

TEST(Sizes, ReadsPercentagesAsShares) {
  EXPECT_DOUBLE_EQ(parse_percentage("6%", "--most-holes"), 0.06);
  EXPECT_DOUBLE_EQ(parse_percentage("0.5%", "--most-holes"), 0.005);
  EXPECT_EQ(parse_percentage("0%", "--most-holes"), 0);
  for (const char* text : {"", "%", "6", "-1%", "nan%", "inf%", "6%%", "6 %"}) {
    EXPECT_THROW(parse_percentage(text, "--most-holes"), Error) << text;
  }
}

TEST(Sizes, PrintsForPeople) {
  EXPECT_EQ(human_size(512), "512 B");
  EXPECT_EQ(human_size(1572864), "1.5 MiB");
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(18446744073709551615U), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace outcore
