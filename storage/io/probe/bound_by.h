// SPDX-License-Identifier: Apache-2.0
// What limited a run: the device, the processors, or neither, from the samples of its timeline. An
// engine is not slow if its device cannot give more. 85% of what a probe got at the same request
// size and number in flight is as much as an engine can hope for, and so are processors that are
// busy 95% of the time.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/io/probe/fit.h"

namespace outcore {

// What a device gives at the number of requests in flight that a run keeps up.
struct DevicePace {
  std::string source;            // the file that states it
  std::vector<CostPoint> costs;  // of consecutive reads, by ascending size
  double sustained = 1;          // the share of that rate that remains after some seconds
  double write_mb_per_s = 0;     // for large writes; 0: unknown
  // Of consecutive writes, by ascending size. If empty, writes keep the device busy for their bytes
  // at write_mb_per_s, whatever their sizes.
  std::vector<CostPoint> write_costs = {};
};

// Time per request for consecutive requests, interpolated between sizes. REQUIRES: `costs` is not
// empty.
double request_us(std::span<const CostPoint> costs, double bytes);

// {"device": {"source", "share", "sustained_share", "seconds"}, "processors": {"share", "seconds"},
// "neither_s", "seconds"}: how long the device gave kDeviceBound of what it can sustain, how long
// the processors were kProcessorsBound busy (both may hold at once), and how long neither held; and
// both shares over the whole time, from the beginning of `samples` (see Timeline). "device" is null
// if its pace is unknown (for a run that wrote, the pace of writes), if nothing went through the
// door, or if page faults read more than kMostFaults of what the door did, because no sample has
// their sizes. Null without samples.
nlohmann::json bound_by(const nlohmann::json& samples, double processors,
                        const std::optional<DevicePace>& device);

inline constexpr double kDeviceBound = 0.85;
inline constexpr double kProcessorsBound = 0.95;
inline constexpr double kMostFaults = 0.05;  // major faults per request of the door

}  // namespace outcore
