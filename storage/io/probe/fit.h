// SPDX-License-Identifier: Apache-2.0
// What the probe's table says in a few numbers.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "storage/io/device_model.h"

namespace outcore {

// Time of a request as request_us + kb_us * KB.
struct FittedCost {
  double request_us = 0;
  double kb_us = 0;
  double rms_error = 0;    // of fitted over measured - 1, over the sizes
  double worst_error = 0;  // the greatest of these, in size
  [[nodiscard]] double us(std::uint64_t bytes) const;
  [[nodiscard]] nlohmann::json json() const;
};

// Time of requests by size.
struct CostPoint {
  std::uint64_t bytes = 0;
  double us = 0;
};
// Least squares of relative errors; no part is negative. Of one point, all is in the request.
FittedCost fit_cost(std::span<const CostPoint> points);

// CAVE's k_r (section 2.1): the fewest requests in flight that saturate the device. Its paper does
// not say how near is saturated; here, and in every record, kSaturated of the highest rate. More in
// flight would add to the latency of each request and hardly to the rate.
inline constexpr double kSaturated = 0.9;

// Finds it from rates at ascending concurrencies; `ask` measures the rate of one in between, at
// most `questions` times. Between two that were measured, it is the higher.
unsigned find_k_r(std::span<const std::pair<unsigned, double>> rates, unsigned questions,
                  const std::function<double(unsigned)>& ask);

}  // namespace outcore
