// SPDX-License-Identifier: Apache-2.0
#include "storage/io/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace outcore {
namespace {

using std::chrono::nanoseconds;

TEST(LatencyHistogram, BucketsAreNeighboursAndNarrow) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
    const std::uint64_t end = LatencyHistogram::end_of(i);
    EXPECT_EQ(LatencyHistogram::bucket(begin), i);
    EXPECT_EQ(LatencyHistogram::bucket(end - 1), i);
    // An eighth of the time, but at least one unit.
    EXPECT_LE(end - begin, std::max(LatencyHistogram::kUnit, begin / 8)) << i;
    begin = end;
  }
  EXPECT_GT(begin, std::uint64_t{60} * 1'000'000'000);
  EXPECT_EQ(LatencyHistogram::bucket(~std::uint64_t{0}), LatencyHistogram::kBuckets - 1);
}

TEST(LatencyHistogram, QuantilesOfRandomTimesAreRightToAnEighth) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> times;
  LatencyHistogram first;
  LatencyHistogram second;
  for (int i = 0; i < 20000; ++i) {
    const auto ns = static_cast<std::uint64_t>(std::exp2(10 + 0.001 * double(random() % 16000)));
    times.push_back(ns);
    (i % 3 == 0 ? first : second).add(nanoseconds(ns));
  }
  first.add(second);
  std::sort(times.begin(), times.end());
  EXPECT_EQ(first.count(), times.size());
  for (const double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const std::uint64_t exact = times[static_cast<std::size_t>(q * double(times.size())) - 1];
    EXPECT_GE(first.quantile(q), exact) << q;
    EXPECT_LE(first.quantile(q), exact + exact / 8 + LatencyHistogram::kUnit) << q;
  }
  EXPECT_EQ(first.quantile(1), times.back()) << "never beyond what was seen";
}

TEST(LatencyHistogram, TellsItsNumbersInMicroseconds) {
  LatencyHistogram times;
  EXPECT_TRUE(times.json().is_null());
  times.add(nanoseconds(1000));
  times.add(nanoseconds(3000));
  times.add(nanoseconds(-5));  // a clock that went backwards
  const nlohmann::json json = times.json();
  EXPECT_DOUBLE_EQ(json.at("mean_us"), 4.0 / 3);
  EXPECT_DOUBLE_EQ(json.at("p50_us"), 1.024);
  EXPECT_DOUBLE_EQ(json.at("max_us"), 3);
  EXPECT_EQ(json.at("counts_by_ns"), nlohmann::json::parse(R"({"128": 1, "1024": 1, "3072": 1})"));
}

TEST(LatencyHistogram, NamesEachQuantileAsItIs) {
  LatencyHistogram times;
  for (int i = 1; i <= 2000; ++i) times.add(nanoseconds(i * 1000));
  const nlohmann::json json = times.json();
  double before = 0;
  for (const auto& [name, q] : {std::pair{"p50_us", 0.5}, {"p90_us", 0.9}, {"p99_us", 0.99}}) {
    EXPECT_DOUBLE_EQ(json.at(name), static_cast<double>(times.quantile(q)) / 1000) << name;
    EXPECT_GT(json.at(name), before) << name;
    before = json.at(name);
  }
  EXPECT_DOUBLE_EQ(json.at("p999_us"), static_cast<double>(times.quantile(0.999)) / 1000);
}

}  // namespace
}  // namespace outcore
