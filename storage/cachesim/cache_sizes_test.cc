// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/cache_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text, std::uint64_t raw_bytes = 1'000'000) {
  try {
    parse_cache_sizes({text}, raw_bytes, 4096);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(CacheSizes, BytesAndPercentagesOfTheRawBytes) {
  const auto sizes = parse_cache_sizes({"4M", "2.5%"}, 10'000'000, 4096);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes[0].bytes, 4U << 20);
  EXPECT_EQ(sizes[0].percent, std::nullopt);
  EXPECT_EQ(sizes[1].bytes, 250'000U);
  EXPECT_EQ(sizes[1].percent, 2.5);
}

TEST(CacheSizes, ARangeIsEightEvenlySpacedSizes) {
  const auto sizes = parse_cache_sizes({"1%..8%"}, 10'000'000, 4096);
  ASSERT_EQ(sizes.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(static_cast<double>(sizes[i].bytes), 100'000.0 * static_cast<double>(i + 1), 1);
    EXPECT_DOUBLE_EQ(sizes[i].percent.value(), static_cast<double>(i + 1));
  }
}

TEST(CacheSizes, WhatHoldsNoUnitIsRefused) {
  EXPECT_EQ(parse_cache_sizes({"4096"}, 0, 4096).front().bytes, 4096U);
  EXPECT_THAT(refusal("4095"), HasSubstr("4095 bytes hold not even one unit of 4096 bytes"));
  EXPECT_THAT(refusal("0.1%"), HasSubstr("--sizes 0.1%: 1000 bytes hold not even one unit"));
  EXPECT_THAT(refusal("0.1%..20%"), HasSubstr("not even one unit"));
}

TEST(CacheSizes, WhatIsNoSizeIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("not a number"));
  EXPECT_THAT(refusal("4Q"), HasSubstr("unknown unit 'Q'"));
  EXPECT_THAT(refusal("5%", 0), HasSubstr("a percentage has no meaning here"));
  EXPECT_THAT(refusal("20%..1%"), HasSubstr("a range goes up"));
  EXPECT_THAT(refusal("4M..8M"), HasSubstr("from a percentage to a percentage"));
  EXPECT_THAT(refusal("1%.."), HasSubstr("not a number"));
}

}  // namespace
}  // namespace outcore
