// SPDX-License-Identifier: Apache-2.0
// Summarises the probe's table in a few numbers.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "storage/io/device_model.h"

namespace outcore {

// The time of a request as request_us + kb_us * KB.
struct FittedCost {
  double request_us = 0;
  double kb_us = 0;
  double rms_error = 0;    // of fitted / measured - 1, over the sizes
  double worst_error = 0;  // the largest absolute value of these
  [[nodiscard]] double us(std::uint64_t bytes) const;
  [[nodiscard]] nlohmann::json json() const;
};

// The time of a request of this size.
struct CostPoint {
  std::uint64_t bytes = 0;
  double us = 0;
};
// Least squares of the relative errors; neither part is negative. With one point, all is in the
// request.
FittedCost fit_cost(std::span<const CostPoint> points);

// CAVE's k_r (section 2.1): the fewest requests in flight that saturate the device. The paper does
// not define "saturate"; here, and in every record, it is kSaturated of the highest rate. More
// requests in flight would add to the latency of each and hardly to the rate.
inline constexpr double kSaturated = 0.9;

// Finds it from rates at ascending concurrencies. `ask` measures a concurrency in between, at most
// `questions` times. Of two neighbouring measured concurrencies, the higher is taken.
unsigned find_k_r(std::span<const std::pair<unsigned, double>> rates, unsigned questions,
                  const std::function<double(unsigned)>& ask);

}  // namespace outcore
