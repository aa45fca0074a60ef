// SPDX-License-Identifier: Apache-2.0
// Wall time since construction or the last lap, and processor time, in seconds.
#pragma once

#include <chrono>
#include <ctime>

namespace outcore {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  // Returns the seconds since construction or the last lap, and starts the next lap.
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
// Processor time in seconds: that of all threads of the process, and that of this thread.
inline double processor_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }
inline double thread_seconds() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace outcore
