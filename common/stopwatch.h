// SPDX-License-Identifier: Apache-2.0
// Wall time since construction or the last lap, and processors' time, in seconds.
#pragma once

#include <chrono>
#include <ctime>

namespace outcore {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  // Seconds since construction or the last lap; starts the next one.
  double lap() {
    const auto now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

inline double clock_seconds(clockid_t clock) {
  timespec time = {};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
// What all threads of the process have taken of processors, in seconds; what this one has.
inline double processor_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }
inline double thread_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace outcore
