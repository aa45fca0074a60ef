// SPDX-License-Identifier: Apache-2.0
// Observes through the engine's gauge how many of its requests are in flight at most.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "engines/engine.h"

namespace outcore {

// Each request takes long enough to be seen. The observing thread may miss the moment with the most
// requests in flight, so the run is repeated, a limited number of times, until options.depth were
// seen.
template <typename Run>
std::int64_t most_in_flight(EngineOptions options, const Run& run) {
  constexpr int kRuns = 200;  // few are needed but where the processors are busy with other work
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
