// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace outcore {
namespace {

using Rates = std::vector<std::pair<unsigned, double>>;

TEST(FitCost, FindsTheLineThatPointsLieOn) {
  std::vector<CostPoint> points;
  for (std::uint64_t bytes = 4096; bytes <= 1 << 20; bytes *= 2) {
    points.push_back({bytes, 5.5 + 0.57 * static_cast<double>(bytes) / 1024});
  }
  const FittedCost cost = fit_cost(points);
  EXPECT_NEAR(cost.request_us, 5.5, 1e-9);
  EXPECT_NEAR(cost.kb_us, 0.57, 1e-9);
  EXPECT_NEAR(cost.worst_error, 0, 1e-9);
}

TEST(FitCost, TellsItsErrorBySmallAndLargeRequestsAlike) {
  // By hand: 10 us at 4 KB, 20 us at 8 KB and at 16 KB. The fit a + b x minimises the relative
  // errors.
  const std::vector<CostPoint> points = {{4096, 10}, {8192, 20}, {16384, 20}};
  const FittedCost cost = fit_cost(points);
  double squares = 0;
  for (const CostPoint& point : points) squares += std::pow(cost.us(point.bytes) / point.us - 1, 2);
  EXPECT_NEAR(cost.rms_error, std::sqrt(squares / 3), 1e-12);
  for (const double nudge : {-0.01, 0.01}) {
    for (const bool first : {true, false}) {
      FittedCost other = cost;
      (first ? other.request_us : other.kb_us) += nudge;
      double others = 0;
      for (const CostPoint& point : points) {
        others += std::pow(other.us(point.bytes) / point.us - 1, 2);
      }
      EXPECT_GT(others, squares) << nudge << first;
    }
  }
}

TEST(FitCost, NoPartIsNegative) {
  const FittedCost by_size = fit_cost(std::vector<CostPoint>{{4096, 1}, {8192, 4}});
  EXPECT_EQ(by_size.request_us, 0);
  EXPECT_GT(by_size.kb_us, 0);
  const FittedCost falling = fit_cost(std::vector<CostPoint>{{4096, 4}, {8192, 1}});
  EXPECT_EQ(falling.kb_us, 0);
  EXPECT_GT(falling.request_us, 0);
  EXPECT_EQ(fit_cost(std::vector<CostPoint>{{4096, 7}}).us(4096), 7);
}

// A device with 6 servers: its rate grows until 6; 6 in flight reach 0.9 of it (5 reach 0.83).
TEST(FindKr, IsTheFewestThatSaturate) {
  const auto rate = [](unsigned concurrency) { return std::min(concurrency, 6U) * 100.0; };
  Rates rates;
  for (unsigned c = 1; c <= 128; c *= 2) rates.emplace_back(c, rate(c));
  std::vector<unsigned> asked;
  EXPECT_EQ(find_k_r(rates, 3,
                     [&](unsigned c) {
                       asked.push_back(c);
                       return rate(c);
                     }),
            6U);
  EXPECT_THAT(asked, testing::ElementsAre(6, 5)) << "halves of what is left between 4 and 8";
  EXPECT_EQ(find_k_r(rates, 0, rate), 8U) << "unasked, the higher of the two";
}

TEST(FindKr, AMoreDeepQueueThatIsSlowerDoesNotCount) {
  const Rates rates = {{1, 271}, {4, 619}, {16, 952}, {64, 1144}, {128, 1011}};
  EXPECT_EQ(find_k_r(rates, 0, nullptr), 64U);
}

TEST(FindKr, ADeviceThatServesOneAtATimeHasOne) {
  const Rates rates = {{1, 100}, {2, 100}, {4, 105}};
  EXPECT_EQ(find_k_r(rates, 3, nullptr), 1U);
}

}  // namespace
}  // namespace outcore
