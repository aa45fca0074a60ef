// SPDX-License-Identifier: Apache-2.0
// How many requests of an engine are in flight at most, as its own gauge shows it to who looks.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "engines/engine.h"

namespace outcore {

// Each request takes long enough to be seen; runs again where nobody came to look meanwhile.
template <typename Run>
std::int64_t most_in_flight(EngineOptions options, const Run& run) {
  RequestGauge gauge;
  options.gauge = &gauge;
  options.backend = "fault";
  options.fault_plan = "over:mem,delay:0.2";
  std::atomic<std::int64_t> most{0};
  {
    const std::jthread watch([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) most = std::max(most.load(), gauge.in_flight.load());
    });
    do {
      run(options);
    } while (most == 0);
  }
  return most;
}

}  // namespace outcore
