// SPDX-License-Identifier: Apache-2.0
// Samples of what the process did over time, for curves: bytes that the kernel read and wrote for
// it, CPU seconds, requests in flight. A separate thread takes them from construction to finish().
// If stderr is a terminal, it also shows a progress line for runs of over two seconds: "bfs on
// concurrent: 12 s, 5 rounds, 1.2 GiB read, 104.0 MiB/s", with the rate of the last second.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "common/stopwatch.h"
#include "storage/io/door.h"

namespace outcore {

// What a run keeps up to date in the meantime. REQUIRES: outlives finish(). Null: not counted.
struct Watched {
  const std::atomic<std::uint64_t>* rounds = nullptr;  // rounds ended so far
  const RequestGauge* requests = nullptr;
  // Called by the sampling thread with all samples, after half a second and then repeatedly, so
  // that they are kept if the process is killed. Must not throw.
  std::function<void(const nlohmann::json& samples)> tell = {};
  // Called by the sampling thread with each sample, in place of the progress line. Must not throw.
  std::function<void(const nlohmann::json& sample)> show = {};
};

class Timeline {
 public:
  explicit Timeline(std::string what, Watched watched = {},
                    std::chrono::milliseconds interval = std::chrono::milliseconds(50));
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Ends sampling. Returns [{"t": seconds, "kernel_bytes": n, "kernel_written_bytes": n, "cpu_s":
  // x, "major_faults": f, "requests": m, "writes": w, "in_flight": k}, ...]: seconds, bytes,
  // faults, reads and writes (including syncs) since the start, and the requests in flight at that
  // moment. The last three are missing if nothing counts them.
  nlohmann::json finish();

 private:
  void sample_until_told();
  void sample();
  void tell_if_time();
  [[nodiscard]] std::string line() const;

  std::string what_;
  Watched watched_;
  std::chrono::milliseconds interval_;
  KernelCounters kernel_;
  Stopwatch watch_;
  double cpu_at_start_;
  double told_at_ = 0;
  nlohmann::json samples_ = nlohmann::json::array();
  std::mutex mutex_;
  std::condition_variable told_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace outcore
