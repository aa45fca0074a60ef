// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/bound_by.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

// 10 us for 4 KB, 20 us for 16 KB, 100 us for 64 KB.
DevicePace pace(double sustained = 1) {
  return {"a probe", {{4096, 10}, {16384, 20}, {65536, 100}}, sustained, 500};
}

nlohmann::json sample(double t, double cpu_s, int requests, int bytes) {
  return {{"t", t}, {"cpu_s", cpu_s}, {"requests", requests}, {"kernel_bytes", bytes}};
}
nlohmann::json only(const nlohmann::json& sample) { return nlohmann::json::array({sample}); }

TEST(BoundBy, ACostLiesBetweenThoseOfItsNeighbours) {
  EXPECT_DOUBLE_EQ(request_us(pace().costs, 4096), 10);
  EXPECT_DOUBLE_EQ(request_us(pace().costs, 10240), 15);
  EXPECT_DOUBLE_EQ(request_us(pace().costs, 16384), 20);
  EXPECT_DOUBLE_EQ(request_us(pace().costs, 40960), 60);
  EXPECT_DOUBLE_EQ(request_us(pace().costs, 512), 10) << "not less than the least";
  EXPECT_DOUBLE_EQ(request_us(pace().costs, 114688), 180) << "on in proportion";
  EXPECT_DOUBLE_EQ(request_us(std::vector<CostPoint>{{4096, 7}}, 1e6), 7);
}

// One second limited by the device, half a second by two processors, half a second by neither.
TEST(BoundBy, EachStretchCountsForWhatWasAtItsLimit) {
  const nlohmann::json samples = {sample(1, 0.2, 90'000, 90'000 * 4096),
                                  sample(1.5, 1.2, 90'100, 90'100 * 4096),
                                  sample(2, 1.4, 90'200, 90'200 * 4096)};
  const nlohmann::json bound = bound_by(samples, 2, pace());
  EXPECT_DOUBLE_EQ(bound.at("device").at("seconds"), 1);
  EXPECT_NEAR(bound.at("device").at("share"), 0.902 / 2, 1e-9);
  EXPECT_DOUBLE_EQ(bound.at("processors").at("seconds"), 0.5);
  EXPECT_NEAR(bound.at("processors").at("share"), 1.4 / 4, 1e-9);
  EXPECT_DOUBLE_EQ(bound.at("neither_s"), 0.5);
  EXPECT_DOUBLE_EQ(bound.at("seconds"), 2);
  EXPECT_EQ(bound.at("device").at("source"), "a probe");
}

TEST(BoundBy, BothMayBeAtTheirLimitsAtOnce) {
  const nlohmann::json bound = bound_by(only(sample(1, 2, 100'000, 100'000 * 4096)), 2, pace());
  EXPECT_DOUBLE_EQ(bound.at("device").at("seconds"), 1);
  EXPECT_DOUBLE_EQ(bound.at("processors").at("seconds"), 1);
  EXPECT_DOUBLE_EQ(bound.at("neither_s"), 0);
}

TEST(BoundBy, ADeviceThatTiresIsAtItsLimitSooner) {
  const nlohmann::json samples = only(sample(1, 0, 50'000, 50'000 * 4096));
  EXPECT_DOUBLE_EQ(bound_by(samples, 2, pace()).at("device").at("seconds"), 0);
  const nlohmann::json tired = bound_by(samples, 2, pace(0.5));
  EXPECT_DOUBLE_EQ(tired.at("device").at("seconds"), 1);
  EXPECT_DOUBLE_EQ(tired.at("device").at("share"), 0.5);
  EXPECT_DOUBLE_EQ(tired.at("device").at("sustained_share"), 1);
}

// 200 MB at 500 MB/s, and 50,000 reads of 10 us.
TEST(BoundBy, WritesKeepTheDeviceBusyToo) {
  nlohmann::json both = sample(1, 0, 50'000, 50'000 * 4096);
  both["writes"] = 50;
  both["kernel_written_bytes"] = 200'000'000;
  EXPECT_NEAR(bound_by(only(both), 2, pace()).at("device").at("share"), 0.9, 1e-9);
  EXPECT_EQ(bound_by(only(both), 2, pace()).at("device").at("seconds"), 1);
  nlohmann::json writes = sample(1, 0, 0, 0);
  writes["writes"] = 50;
  writes["kernel_written_bytes"] = 200'000'000;
  EXPECT_NEAR(bound_by(only(writes), 2, pace()).at("device").at("share"), 0.4, 1e-9);
  DevicePace reads_only = pace();
  reads_only.write_mb_per_s = 0;
  EXPECT_TRUE(bound_by(only(both), 2, reads_only).at("device").is_null());
}

// 1,000 writes of 64 KB at 400 us each; the rate of large writes is not asked.
TEST(BoundBy, WritesCostByTheirSize) {
  nlohmann::json writes = sample(1, 0, 0, 0);
  writes["writes"] = 1000;
  writes["kernel_written_bytes"] = 65'536'000;
  DevicePace by_size = pace();
  by_size.write_costs = {{4096, 100}, {65536, 400}, {1 << 20, 2500}};
  EXPECT_NEAR(bound_by(only(writes), 2, by_size).at("device").at("share"), 0.4, 1e-9);
  by_size.write_mb_per_s = 0;
  by_size.costs.clear();
  EXPECT_NEAR(bound_by(only(writes), 2, by_size).at("device").at("share"), 0.4, 1e-9);
  writes["requests"] = 1;
  EXPECT_TRUE(bound_by(only(writes), 2, by_size).at("device").is_null()) << "reads cost who knows";
}

// What page faults read is in the kernel's bytes, but in no request.
TEST(BoundBy, TheDeviceIsNotSaidWhereFaultsRead) {
  nlohmann::json faulted = sample(1, 0, 1'000, 50'000 * 4096);
  faulted["major_faults"] = 49'000;
  EXPECT_TRUE(bound_by(only(faulted), 2, pace()).at("device").is_null());
  faulted["major_faults"] = 50;
  EXPECT_FALSE(bound_by(only(faulted), 2, pace()).at("device").is_null()) << "a few are no matter";
}

TEST(BoundBy, WhatIsNotKnownIsNotSaid) {
  const nlohmann::json read = only(sample(1, 1, 1, 4096));
  EXPECT_TRUE(bound_by(read, 1, std::nullopt).at("device").is_null());
  EXPECT_TRUE(bound_by(only(sample(1, 1, 0, 0)), 1, pace()).at("device").is_null());
  EXPECT_DOUBLE_EQ(bound_by(read, 1, std::nullopt).at("processors").at("seconds"), 1);
  EXPECT_TRUE(bound_by(nlohmann::json::array(), 1, pace()).is_null());
}

}  // namespace
}  // namespace outcore
