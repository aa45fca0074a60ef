// SPDX-License-Identifier: Apache-2.0
#include "cli/limit_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json record_of(const std::string& engine) {
  return {{"asked",
           {{"engine", engine},
            {"workload", "wcc"},
            {"graph", "my graph"},
            {"memory_bytes", 48 << 20},
            {"state", "memory"}}},
          {"graph", {{"symmetric", true}, {"edges", 1 << 20}}},
          {"memory",
           {{"peak_rss_bytes", 50 << 20},
            {"unaccounted_bytes", 1 << 20},
            {"process_bytes", 5 << 20},
            {"frames_bytes", 64 << 20},
            {"index_bytes", 2 << 20}}}};
}

TEST(LimitAdvice, SaysWhatWasWantedWhatToLowerAndWhatFits) {
  const std::string advice =
      limit_advice(record_of("concurrent"), {"async_block on acgraph (20.0 MiB)", "x on y (1 B)"});
  EXPECT_EQ(advice,
            "it wanted at least 71.0 MiB: frames 64.0 MiB, process 5.0 MiB, index 2.0 MiB; lower "
            "--frames, keep arrays in files (--state file:FOLDER), raise --memory, or take what "
            "fits: async_block on acgraph (20.0 MiB), x on y (1 B); outcore plan 'my graph' "
            "--workload wcc --memory 50331648 shows all");
}

TEST(LimitAdvice, OfAnEngineThatKeepsTheGraphNamesItsLists) {
  const std::string advice = limit_advice(record_of("in_memory"), {});
  EXPECT_THAT(advice, HasSubstr("lists 4.0 MiB"));
  EXPECT_THAT(advice, Not(HasSubstr("lower --frames")));
  EXPECT_THAT(advice, HasSubstr("none fits with these --frames"));
  EXPECT_EQ(limit_advice({{"asked", {}}}, {}), "") << "nothing is known of it";
}

}  // namespace
}  // namespace outcore
