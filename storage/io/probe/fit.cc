// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/fit.h"

#include <algorithm>
#include <cmath>

namespace outcore {

namespace {

// Weighted so that the relative errors of all points count equally: minimises sum (fit/us - 1)^2.
FittedCost least_squares(std::span<const CostPoint> points) {
  double ww = 0;
  double wx = 0;
  double xx = 0;
  double w = 0;
  double x = 0;
  for (const CostPoint& point : points) {
    const double weight = 1 / point.us;
    const double scaled = static_cast<double>(point.bytes) / 1024 / point.us;
    ww += weight * weight;
    wx += weight * scaled;
    xx += scaled * scaled;
    w += weight;
    x += scaled;
  }
  const double determinant = ww * xx - wx * wx;
  if (points.size() < 2 || determinant <= 0) return {.request_us = w / ww};
  const FittedCost cost = {.request_us = (w * xx - x * wx) / determinant,
                           .kb_us = (x * ww - w * wx) / determinant};
  if (cost.request_us < 0) return {.kb_us = x / xx};
  if (cost.kb_us < 0) return {.request_us = w / ww};
  return cost;
}

}  // namespace

double FittedCost::us(std::uint64_t bytes) const {
  return request_us + kb_us * static_cast<double>(bytes) / 1024;
}

nlohmann::json FittedCost::json() const {
  return {{"request_us", request_us},
          {"kb_us", kb_us},
          {"rms_error", rms_error},
          {"worst_error", worst_error}};
}

FittedCost fit_cost(std::span<const CostPoint> points) {
  if (points.empty()) return {};
  FittedCost cost = least_squares(points);
  double squares = 0;
  for (const CostPoint& point : points) {
    const double error = cost.us(point.bytes) / point.us - 1;
    squares += error * error;
    cost.worst_error = std::max(cost.worst_error, std::abs(error));
  }
  cost.rms_error = std::sqrt(squares / static_cast<double>(points.size()));
  return cost;
}

unsigned find_k_r(std::span<const std::pair<unsigned, double>> rates, unsigned questions,
                  const std::function<double(unsigned)>& ask) {
  double best = 0;
  for (const auto& [concurrency, rate] : rates) best = std::max(best, rate);
  unsigned below = 0;
  unsigned enough = 0;
  for (const auto& [concurrency, rate] : rates) {
    enough = concurrency;
    if (rate >= kSaturated * best) break;
    below = concurrency;
  }
  for (; questions > 0 && below > 0 && enough - below > 1; --questions) {
    const unsigned middle = (below + enough) / 2;
    (ask(middle) >= kSaturated * best ? enough : below) = middle;
  }
  return enough;
}

}  // namespace outcore
