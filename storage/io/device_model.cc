// SPDX-License-Identifier: Apache-2.0
#include "storage/io/device_model.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "common/error.h"
#include "common/toml.h"

namespace outcore {

namespace {

constexpr unsigned kMostServers = 65536;

class RealClock final : public ModelClock {
 public:
  [[nodiscard]] Time now() const override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }

  void wait_until(Time time) override {
    // By default the kernel may wake a thread 50 us late, which is as long as several requests of a
    // fast device take. 1 ns is the smallest value.
    [[maybe_unused]] thread_local const int told = ::prctl(PR_SET_TIMERSLACK, 1);
    // An idle processor also wakes late, a virtual one above all. So a thread asks to be woken
    // earlier by as much as it was late recently, and yields until the time has come.
    thread_local Time sooner = kLeastSooner;
    const Time wake = time - sooner;
    if (const Time pause = wake - now(); pause > Time(0)) {
      std::this_thread::sleep_for(pause);
      sooner = std::clamp(std::max(now() - wake, sooner - sooner / 64), kLeastSooner, kMostSooner);
    }
    while (now() < time) std::this_thread::yield();
  }

 private:
  static constexpr Time kLeastSooner = std::chrono::microseconds(20);
  static constexpr Time kMostSooner = std::chrono::microseconds(500);
};

double number(const nlohmann::json& model, const std::string& key,
              const std::filesystem::path& path) {
  const nlohmann::json found = model.value(key, nlohmann::json());
  if (found.is_number() && std::isfinite(found.get<double>()) && found >= 0) return found;
  throw bad_input(Place::file(path), fmt::format("[model] {} = {}", key, found.dump()),
                  "a number from 0", "see configs/devices/pcie.toml");
}

double positive(const nlohmann::json& model, const std::string& key,
                const std::filesystem::path& path) {
  const double found = number(model, key, path);
  if (found > 0) return found;
  throw bad_input(Place::file(path), fmt::format("[model] {} = 0", key), "a number above 0");
}

}  // namespace

DeviceModel DeviceModel::read(const std::filesystem::path& path) {
  const nlohmann::json file = read_toml(path);
  const nlohmann::json fields = file.value("model", nlohmann::json::object());
  const double k_r = positive(fields, "k_r", path);
  if (k_r > kMostServers || k_r != std::floor(k_r)) {
    throw bad_input(Place::file(path), fmt::format("[model] k_r = {}", k_r),
                    fmt::format("a whole number from 1 to {}", kMostServers));
  }
  DeviceModel model;
  model.name = path.stem().string();
  model.k_r = static_cast<unsigned>(k_r);
  model.request_us = positive(fields, "request_us", path);
  model.kb_us = number(fields, "kb_us", path);
  model.mb_per_s = positive(fields, "mb_per_s", path);
  model.seek_us = number(fields, "seek_us", path);
  if (fields.contains("write_mb_per_s")) {
    model.write_mb_per_s = positive(fields, "write_mb_per_s", path);
  }
  return model;
}

double DeviceModel::service_us(std::uint64_t bytes, bool seeks) const {
  return request_us + kb_us * static_cast<double>(bytes) / 1024 + (seeks ? seek_us : 0);
}

double DeviceModel::transfer_us(std::uint64_t bytes, Op op) const {
  return static_cast<double>(bytes) / (op == Op::write ? write_rate() : mb_per_s);
}

double DeviceModel::write_rate() const { return write_mb_per_s > 0 ? write_mb_per_s : mb_per_s; }

double DeviceModel::rate(std::uint64_t bytes, unsigned concurrency, bool sequential) const {
  const double by_servers = std::min(concurrency, k_r) / service_us(bytes, !sequential);
  return std::min(by_servers * static_cast<double>(bytes), mb_per_s);
}

RequestCost DeviceModel::busy_cost() const {
  return {.us = service_us(0, true) / k_r, .us_per_kb = std::max(kb_us / k_r, transfer_us(1024))};
}

RequestCost DeviceModel::in_order_cost() const {
  return {.us = service_us(0, false) / k_r, .us_per_kb = busy_cost().us_per_kb};
}

nlohmann::json DeviceModel::json() const {
  return {{"k_r", k_r},           {"request_us", request_us}, {"kb_us", kb_us},
          {"mb_per_s", mb_per_s}, {"seek_us", seek_us},       {"write_mb_per_s", write_rate()}};
}

double dilation_for(const DeviceModel& model, std::span<const ReadRate> measured) {
  constexpr std::uint32_t kMostBytes = 256 << 10;  // engines merge up to 64 KB by default
  double least = 1;
  for (const ReadRate& cell : measured) {
    if (!cell.random || cell.bytes > kMostBytes) continue;
    const double latency_us = cell.concurrency * static_cast<double>(cell.bytes) /
                              model.rate(cell.bytes, cell.concurrency, false);
    least = std::max(least, cell.p99_us / latency_us);
  }
  return std::ceil(least * 10) / 10;
}

std::unique_ptr<ModelClock> real_clock() { return std::make_unique<RealClock>(); }

ModelledDevice::ModelledDevice(DeviceModel model, double dilation,
                               std::unique_ptr<ModelClock> clock)
    : model_(std::move(model)), dilation_(dilation), clock_(std::move(clock)) {
  for (unsigned i = 0; i < model_.k_r; ++i) free_at_.emplace(0);
}

ModelledDevice::Time ModelledDevice::dilated(double us) const {
  return Time(std::llround(us * dilation_ * 1000));
}

ModelledDevice::Time ModelledDevice::answered(const Request& request) {
  const std::lock_guard lock(mutex_);
  const Time begin = std::max(clock_->now(), free_at_.top());
  free_at_.pop();
  const Time end = request.op == Op::sync
                       ? std::max(begin, written_) + dilated(model_.service_us(0, false))
                       : transferred(request, begin);
  if (request.op == Op::write) written_ = std::max(written_, end);
  free_at_.push(end);
  ++counts_.requests;
  return end;
}

// The time when a read or write that is served from `begin` on is finished.
ModelledDevice::Time ModelledDevice::transferred(const Request& request, Time begin) {
  const bool seeks = request.file != last_file_ || request.offset != last_end_;
  last_file_ = request.file;
  last_end_ = request.offset + request.bytes;
  line_free_ = std::max(line_free_, begin) + dilated(model_.transfer_us(request.bytes, request.op));
  return std::max(begin + dilated(model_.service_us(request.bytes, seeks)), line_free_);
}

void ModelledDevice::late(Time by) {
  const std::lock_guard lock(mutex_);
  ++counts_.late;
  counts_.worst = std::max(counts_.worst, by);
}

void ModelledDevice::woke(Time given, Time after) {
  if (static_cast<double>(after.count()) <= kPunctual * static_cast<double>(given.count())) return;
  const std::lock_guard lock(mutex_);
  ++counts_.overslept;
  counts_.worst_overslept = std::max(counts_.worst_overslept, after);
}

ModelledDevice::Counts ModelledDevice::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

double ModelledDevice::Counts::late_share() const {
  return requests == 0 ? 0 : static_cast<double>(late + overslept) / static_cast<double>(requests);
}

bool ModelledDevice::Counts::honoured() const {
  return late + overslept <= 1 || late_share() <= kMostLate;
}

}  // namespace outcore
