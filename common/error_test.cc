// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::EndsWith;

TEST(UnknownName, SuggestsTheNearestIfItIsNear) {
  const std::vector<std::string> known = {"async_block", "concurrent", "in_memory"};
  const auto told = [&](const std::string& name) {
    return std::string(unknown_name("engine", name, known).what());
  };
  EXPECT_EQ(told("zzz"), "unknown engine 'zzz'; there are: async_block, concurrent, in_memory");
  EXPECT_THAT(told("IN-MEMORY"), EndsWith("in_memory; did you mean 'in_memory'?"));
  EXPECT_THAT(told("cocurrnt"), EndsWith("did you mean 'concurrent'?"));
  EXPECT_THAT(told("async"), EndsWith("did you mean 'async_block'?")) << "its beginning";
  EXPECT_THAT(told("i"), EndsWith("in_memory")) << "of one letter that says nothing";
}

TEST(UnknownName, AsksForWhatWasMeant) {
  EXPECT_EQ(std::string(unknown_name("toy", "x", {"a", "b", "c"}, {"b", "c"}).what()),
            "unknown toy 'x'; there are: a, b, c; did you mean 'b' or 'c'?");
}

}  // namespace
}  // namespace outcore
