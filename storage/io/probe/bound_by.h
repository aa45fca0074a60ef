// SPDX-License-Identifier: Apache-2.0
// What a run was bound by: the device, the processors, or neither, from the samples of its
// timeline. "Slow" says nothing of an engine whose device has no more to give; 85% of what a probe
// got at the same size of request and as many in flight is as much as an engine can hope for, and
// so are processors that are busy for 95% of the time.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/io/probe/fit.h"

namespace outcore {

// What a device gives, at the number of requests in flight that a run keeps up. Writes are taken to
// keep it busy for their bytes at one rate, whatever their sizes.
struct DevicePace {
  std::string source;            // the file that says so
  std::vector<CostPoint> costs;  // of one read after another, by ascending size
  double sustained = 1;          // what is left of that rate after some seconds
  double write_mb_per_s = 0;     // of large writes; 0: not known
};

// Time of one request after another, between two sizes in proportion. `costs` has a point.
double request_us(std::span<const CostPoint> costs, double bytes);

// {"device": {"source", "share", "sustained_share", "seconds"}, "processors": {"share", "seconds"},
// "neither_s", "seconds"}: how long the device gave kDeviceBound of what it can sustain, how long
// the processors were kProcessorsBound busy (both may be so at once), how long neither; and the
// shares of it all, from when `samples` (see Timeline) begin. Device null: its pace is not known
// (that of writes, in a run that wrote), nothing went through the door, or page faults read more
// than kMostFaults of what it did, in sizes that no sample tells. Null: no samples.
nlohmann::json bound_by(const nlohmann::json& samples, double processors,
                        const std::optional<DevicePace>& device);

inline constexpr double kDeviceBound = 0.85;
inline constexpr double kProcessorsBound = 0.95;
inline constexpr double kMostFaults = 0.05;  // major ones, of the door's reads

}  // namespace outcore
