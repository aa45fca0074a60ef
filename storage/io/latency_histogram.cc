// SPDX-License-Identifier: Apache-2.0
#include "storage/io/latency_histogram.h"

#include <cmath>
#include <numeric>
#include <string>

namespace outcore {

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  sum_ += other.sum_;
  longest_ = std::max(longest_, other.longest_);
}

std::uint64_t LatencyHistogram::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t LatencyHistogram::quantile(double q) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count())));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen > 0 && seen >= wanted) return std::min(end_of(i), longest_);
  }
  return 0;
}

nlohmann::json LatencyHistogram::json() const {
  const std::uint64_t all = count();
  if (all == 0) return nullptr;
  nlohmann::json counts = nlohmann::json::object();
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (counts_[i] > 0) counts[std::to_string(end_of(i))] = counts_[i];
  }
  const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1000; };
  return {{"mean_us", us(sum_) / static_cast<double>(all)},
          {"p50_us", us(quantile(0.5))},
          {"p90_us", us(quantile(0.9))},
          {"p99_us", us(quantile(0.99))},
          {"p999_us", us(quantile(0.999))},
          {"max_us", us(longest_)},
          {"counts_by_ns", counts}};
}

}  // namespace outcore
