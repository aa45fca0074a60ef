// SPDX-License-Identifier: Apache-2.0
// How many requests of an engine are in flight at most, as its own gauge shows it.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "engines/engine.h"

namespace outcore {

template <typename Run>
std::int64_t most_in_flight(EngineOptions options, const Run& run) {
  RequestGauge gauge;
  options.gauge = &gauge;
  std::atomic<bool> done{false};
  std::int64_t most = 0;
  std::thread watch([&] {
    while (!done) most = std::max(most, gauge.in_flight.load());
  });
  run(options);
  done = true;
  watch.join();
  return most;
}

}  // namespace outcore
