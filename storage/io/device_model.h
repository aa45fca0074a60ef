// SPDX-License-Identifier: Apache-2.0
// A device that is not there: when would its answers come?
//
// The model is that of CAVE's section 2.1 and of the parametric I/O model on which it stands: a
// device serves up to k_r requests at once, each as fast as if it were alone; more wait. To that
// come a bandwidth that all of them share and, for disks, a seek before each request that does not
// begin where the one before ended. In closed form, with c requests kept in flight,
//
//   requests a second = min( min(c, k_r) / service(bytes),  bandwidth / bytes )
//   service(bytes)    = request_us + kb_us * bytes / 1024  (+ seek_us)
//
// A write is served as a read of its size is, through a line of its own rate (`write_mb_per_s`, the
// reads' unless it is given); it is on the medium when it is answered. A sync is answered
// `request_us` after the last write that was submitted before it.
//
// A ModelledDevice computes this request by request, as a queue in front of k_r servers and one
// line to the host. It is shared by all channels of a run, from any thread: what one worker asks
// for delays the others, as on a device.
//
// *Dilation*: a model may be faster than the device that in truth delivers the bytes. All its times
// are then multiplied by the dilation, so that the real device can keep pace; a run under it is
// stated with its dilation. How often the real device was late all the same is counted (`late`),
// and how often the thread that waited for the model's time was woken too late (`overslept`). Where
// both together are more than one request and over kMostLate of them all, the model was not
// *honoured*: such a run's times mean nothing.
//
// Time comes from a ModelClock, so that tests need none.
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
  double mb_per_s = 0;  // of all requests together
  double seek_us = 0;
  double write_mb_per_s = 0;  // of all writes together; 0: mb_per_s

  // A file of configs/devices; throws bad_input that names the field.
  static DeviceModel read(const std::filesystem::path& path);
  [[nodiscard]] double service_us(std::uint64_t bytes, bool seeks) const;
  [[nodiscard]] double transfer_us(std::uint64_t bytes, Op op = Op::read) const;
  [[nodiscard]] double write_rate() const;  // of all writes together, in MB/s
  // The closed form of reads, in MB/s.
  [[nodiscard]] double rate(std::uint64_t bytes, unsigned concurrency, bool sequential) const;
  // Of a random read, with more than k_r in flight: one over their rate.
  [[nodiscard]] RequestCost busy_cost() const;
  [[nodiscard]] nlohmann::json json() const;
};

// One cell of what `outcore probe` measured.
struct ReadRate {
  bool random = true;
  std::uint32_t bytes = 0;
  unsigned concurrency = 0;
  double mb_per_s = 0;
  double p50_us = 0;  // latency of a request
  double p99_us = 0;
};

// The least dilation (at least 1, to one decimal) under which 99 of 100 random requests of the
// measured device come in time, at every size up to 256 KB and every concurrency.
double dilation_for(const DeviceModel& model, std::span<const ReadRate> measured);

class ModelClock {
 public:
  using Time = std::chrono::nanoseconds;
  virtual ~ModelClock() = default;
  [[nodiscard]] virtual Time now() const = 0;
  virtual void wait_until(Time time) = 0;
};

// Wall time. Waits to the microsecond: sleeps first, then yields until the time has come.
std::unique_ptr<ModelClock> real_clock();

class ModelledDevice {
 public:
  using Time = ModelClock::Time;
  // Of requests that may be late; a single one may always be.
  static constexpr double kMostLate = 0.05;
  // Of the time that the model gives a request: woken up by less after it is in time.
  static constexpr double kPunctual = 0.1;

  ModelledDevice(DeviceModel model, double dilation, std::unique_ptr<ModelClock> clock);

  [[nodiscard]] const DeviceModel& model() const { return model_; }
  [[nodiscard]] double dilation() const { return dilation_; }
  [[nodiscard]] ModelClock& clock() { return *clock_; }

  // A request arrives now; when will it have been answered?
  Time answered(const Request& request);
  // The real device was behind the model by so much.
  void late(Time by);
  // Who waited for a request's time, `given` from when it was asked, woke up so much after it.
  void woke(Time given, Time after);

  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t late = 0;
    Time worst{0};
    std::uint64_t overslept = 0;
    Time worst_overslept{0};
    [[nodiscard]] double late_share() const;  // of both kinds
    [[nodiscard]] bool honoured() const;
  };
  [[nodiscard]] Counts counts() const;

 private:
  [[nodiscard]] Time dilated(double us) const;
  Time transferred(const Request& request, Time begin);

  const DeviceModel model_;
  const double dilation_;
  const std::unique_ptr<ModelClock> clock_;

  mutable std::mutex mutex_;                                              // guards what follows
  std::priority_queue<Time, std::vector<Time>, std::greater<>> free_at_;  // of each server
  Time line_free_{0};
  Time written_{0};  // when the last write so far is on the medium
  std::uint32_t last_file_ = ~std::uint32_t{0};
  std::uint64_t last_end_ = 0;
  Counts counts_;
};

}  // namespace outcore
