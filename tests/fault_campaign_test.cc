// SPDX-License-Identifier: Apache-2.0
// A few hundred faults of the campaign; the program fault_campaign runs any number of them.
#include "tests/fault_campaign.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

TEST(FaultCampaign, WhateverGoesWrongRunsAnswerRightOrStopAndLeaveNothingBehind) {
  FaultCampaign campaign;
  for (std::uint64_t seed = 0; seed < 300; ++seed) EXPECT_EQ(campaign.run(seed), "");
  FaultCampaign::Row sum;
  for (const auto& [name, row] : campaign.rows()) {
    sum.stopped += row.stopped;
    sum.answered += row.answered;
  }
  EXPECT_GT(sum.stopped, 150U) << "most of what was planned did happen";
  EXPECT_GT(sum.answered, 5U);
}

}  // namespace
}  // namespace outcore
