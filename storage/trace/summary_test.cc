// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::ElementsAre;
using Round = TraceSummary::Round;

class TraceSummaryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(::testing::TempDir()) / "outcore_summary.oct";
    writer_ = std::make_unique<TraceWriter>(
        path_,
        TraceHeader{
            .graph = "g", .layout = "csr", .engine = "e", .workload = "bfs", .file_units = {10}});
  }
  void TearDown() override { std::filesystem::remove(path_); }
  TraceSummary summary() {
    writer_->close();
    TraceReader reader(path_);
    return summarise(reader);
  }

  std::filesystem::path path_;
  std::unique_ptr<TraceWriter> writer_;
};

TEST_F(TraceSummaryTest, CountsUnitsOnceARoundAndOnceInAll) {
  writer_->note(0, 0, 9, 1);  // before the first round: counts as round 0
  writer_->begin_round(4);
  writer_->note(0, 0, 0, 4);
  writer_->note(0, 0, 2, 3);
  writer_->begin_round(5);
  writer_->begin_round(6);
  writer_->note(0, 0, 0, 1);
  writer_->note(0, 0, 0, 1);
  const TraceSummary found = summary();
  EXPECT_EQ(found.accesses, 10U);
  EXPECT_EQ(found.distinct, 6U);
  EXPECT_THAT(found.rounds,
              ElementsAre(Round{0, 1, 1}, Round{4, 7, 5}, Round{5, 0, 0}, Round{6, 2, 1}));
}

TEST_F(TraceSummaryTest, ATraceOfNothingHasNoRounds) {
  const TraceSummary found = summary();
  EXPECT_EQ(found.accesses, 0U);
  EXPECT_EQ(found.distinct, 0U);
  EXPECT_THAT(found.rounds, ElementsAre());
}

}  // namespace
}  // namespace outcore
