// SPDX-License-Identifier: Apache-2.0
// A modelled device: when would it answer?
//
// The model is that of CAVE's section 2.1 and of the parametric I/O model on which it is based: a
// device serves up to k_r requests at once, each as fast as if it were alone; further ones wait. In
// addition there is a bandwidth that all requests share and, for disks, a seek before each request
// that does not begin where the previous one ended. In closed form, with c requests kept in flight:
//
//   requests a second = min( min(c, k_r) / service(bytes),  bandwidth / bytes )
//   service(bytes)    = request_us + kb_us * bytes / 1024  (+ seek_us)
//
// A write is served like a read of its size, but its transfer takes the rate `write_mb_per_s` (by
// default the reads' rate). It is on the medium when it is answered. A sync is answered
// `request_us` after the last write that was submitted before it.
//
// A ModelledDevice computes this for each request, as a queue in front of k_r servers and one line
// to the host. All channels of a run share it, from any thread: the requests of one worker delay
// those of others, as on a real device.
//
// *Dilation*: a model may be faster than the device that really delivers the bytes. Then all its
// times are multiplied by the dilation, so that the real device can keep up; a run states its
// dilation. Two things are still counted: how often the real device was late (`late`), and how
// often the thread that waited for the model's time woke too late (`overslept`). If both together
// are more than one request and more than kMostLate of all requests, the model was not *honoured*,
// and the run's times mean nothing.
//
// Time comes from a ModelClock, so tests need no real time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "storage/io/backend.h"
#include "storage/io/merge.h"

namespace outcore {

struct DeviceModel {
  std::string name;
  unsigned k_r = 1;
  double request_us = 0;
  double kb_us = 0;
  double mb_per_s = 0;  // all requests together
  double seek_us = 0;
  double write_mb_per_s = 0;  // all writes together; 0: mb_per_s

  // Reads a file of configs/devices. Throws bad_input that names the field.
  static DeviceModel read(const std::filesystem::path& path);
  [[nodiscard]] double service_us(std::uint64_t bytes, bool seeks) const;
  [[nodiscard]] double transfer_us(std::uint64_t bytes, Op op = Op::read) const;
  [[nodiscard]] double write_rate() const;  // all writes together, in MB/s
  // The closed form for reads, in MB/s.
  [[nodiscard]] double rate(std::uint64_t bytes, unsigned concurrency, bool sequential) const;
  // The cost of a random read with more than k_r in flight: the inverse of their rate.
  [[nodiscard]] RequestCost busy_cost() const;
  // The same of reads in order, which need no seek.
  [[nodiscard]] RequestCost in_order_cost() const;
  [[nodiscard]] nlohmann::json json() const;
};

// One cell of the table that `outcore probe` measures.
struct ReadRate {
  bool random = true;
  std::uint32_t bytes = 0;
  unsigned concurrency = 0;
  double mb_per_s = 0;
  double p50_us = 0;  // latency of a request
  double p99_us = 0;
};

// The smallest dilation (at least 1, to one decimal) with which 99 of 100 random requests of the
// measured device are in time, at every size up to 256 KB and every concurrency.
double dilation_for(const DeviceModel& model, std::span<const ReadRate> measured);

class ModelClock {
 public:
  using Time = std::chrono::nanoseconds;
  virtual ~ModelClock() = default;
  [[nodiscard]] virtual Time now() const = 0;
  virtual void wait_until(Time time) = 0;
};

// Wall time, accurate to a microsecond: sleeps first, then yields until the time has come.
std::unique_ptr<ModelClock> real_clock();

class ModelledDevice {
 public:
  using Time = ModelClock::Time;
  // The share of requests that may be late; a single one always may.
  static constexpr double kMostLate = 0.05;
  // A thread that wakes late by less than this share of the model's time is still in time.
  static constexpr double kPunctual = 0.1;

  ModelledDevice(DeviceModel model, double dilation, std::unique_ptr<ModelClock> clock);

  [[nodiscard]] const DeviceModel& model() const { return model_; }
  [[nodiscard]] double dilation() const { return dilation_; }
  [[nodiscard]] ModelClock& clock() { return *clock_; }

  // A request arrives now: returns the time at which it is answered.
  Time answered(const Request& request);
  // Counts a request for which the real device was behind the model by this much.
  void late(Time by);
  // Counts a thread that waited for a request, which takes `given`, and woke `after` too late.
  void woke(Time given, Time after);

  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t late = 0;
    Time worst{0};
    std::uint64_t overslept = 0;
    Time worst_overslept{0};
    [[nodiscard]] double late_share() const;  // both kinds together
    [[nodiscard]] bool honoured() const;
  };
  [[nodiscard]] Counts counts() const;

 private:
  [[nodiscard]] Time dilated(double us) const;
  Time transferred(const Request& request, Time begin);

  const DeviceModel model_;
  const double dilation_;
  const std::unique_ptr<ModelClock> clock_;

  mutable std::mutex mutex_;  // guards all members below
  std::priority_queue<Time, std::vector<Time>, std::greater<>> free_at_;  // by server
  Time line_free_{0};
  Time written_{0};  // when the last write so far is on the medium
  std::uint32_t last_file_ = ~std::uint32_t{0};
  std::uint64_t last_end_ = 0;
  Counts counts_;
};

}  // namespace outcore
