// SPDX-License-Identifier: Apache-2.0
// How many requests of an engine are in flight at most, as its own gauge shows it to who looks.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "engines/engine.h"

namespace outcore {

// Each request takes long enough to be seen. A thread that looks may miss the moment in which most
// are in flight, so the run is repeated, a few times at most, until options.depth were.
template <typename Run>
std::int64_t most_in_flight(EngineOptions options, const Run& run) {
  constexpr int kRuns = 20;
  RequestGauge gauge;
  options.gauge = &gauge;
  options.backend = "fault";
  options.fault_plan = "over:mem,delay:0.2";
  std::atomic<std::int64_t> most{0};
  {
    const std::jthread watch([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) most = std::max(most.load(), gauge.in_flight.load());
    });
    for (int runs = 0; runs < kRuns && most < options.depth; ++runs) run(options);
  }
  return most;
}

}  // namespace outcore
