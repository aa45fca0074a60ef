// SPDX-License-Identifier: Apache-2.0
// How long requests took, as counts in buckets whose width grows with the time, so that every
// quantile is exact to an eighth (after HdrHistogram, with fewer digits). Allocates nothing; adding
// takes a few instructions. Units: nanoseconds. Not thread-safe: use one per thread and add them
// up.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace outcore {

class LatencyHistogram {
 public:
  void add(std::chrono::nanoseconds time) {
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count()));
    ++counts_[bucket(ns)];
    sum_ += ns;
    longest_ = std::max(longest_, ns);
  }
  void add(const LatencyHistogram& other);

  [[nodiscard]] std::uint64_t count() const;
  // The time that a share `q` of the requests did not exceed: the upper end of its bucket, but at
  // most the longest time. 0 without requests.
  [[nodiscard]] std::uint64_t quantile(double q) const;
  // Null without requests; else {"mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us",
  // "counts_by_ns": {"upper end of a bucket": n}}.
  [[nodiscard]] nlohmann::json json() const;

  // Linear up to 1 us in steps of kUnit, then kSteps buckets for each doubling of the time.
  static constexpr std::uint64_t kUnit = 128;
  static constexpr std::uint64_t kSteps = 8;
  static constexpr std::size_t kBuckets = 216;  // up to 68 s; longer times are in the last
  static constexpr std::size_t bucket(std::uint64_t ns) {
    const std::uint64_t units = ns / kUnit;
    if (units < kSteps) return units;
    const auto doublings = static_cast<unsigned>(std::bit_width(units / kSteps) - 1);
    return std::min<std::size_t>(kSteps * doublings + (units >> doublings), kBuckets - 1);
  }
  // The first time after the bucket.
  static constexpr std::uint64_t end_of(std::size_t bucket) {
    if (bucket < kSteps) return (bucket + 1) * kUnit;
    const std::uint64_t doublings = bucket / kSteps - 1;
    return ((bucket % kSteps + kSteps + 1) << doublings) * kUnit;
  }

 private:
  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t sum_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace outcore
