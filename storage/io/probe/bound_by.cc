// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/bound_by.h"

#include <algorithm>
#include <utility>

namespace outcore {

namespace {

// From one sample to the next.
struct Stretch {
  double seconds = 0;
  double device = 0;      // share of its momentary pace
  double processors = 0;  // share of the processors that was busy
};

class Samples {
 public:
  // Without a device, its share is 0.
  Samples(double processors, const DevicePace* device) : processors_(processors), device_(device) {}

  Stretch to(const nlohmann::json& sample) {
    const nlohmann::json before = std::exchange(before_, sample);
    const auto gained = [&](const char* column) {
      return sample.value(column, 0.0) - before.value(column, 0.0);
    };
    Stretch stretch = {.seconds = gained("t")};
    if (stretch.seconds <= 0) return stretch;
    stretch.processors = gained("cpu_s") / stretch.seconds / processors_;
    // Bytes are counted on arrival and requests on submission; the difference is negligible.
    const double requests = device_ != nullptr ? gained("requests") : 0;
    double busy_us = 0;
    if (requests > 0) {
      busy_us = requests * request_us(device_->costs, gained("kernel_bytes") / requests);
    }
    if (device_ != nullptr) busy_us += write_us(gained("writes"), gained("kernel_written_bytes"));
    stretch.device = busy_us * 1e-6 / stretch.seconds;
    return stretch;
  }

 private:
  [[nodiscard]] double write_us(double writes, double bytes) const {
    if (writes > 0 && !device_->write_costs.empty()) {
      return writes * request_us(device_->write_costs, bytes / writes);
    }
    return device_->write_mb_per_s > 0 ? bytes / device_->write_mb_per_s : 0;
  }

  double processors_;
  const DevicePace* device_;
  nlohmann::json before_ = nlohmann::json::object();
};

// Does `device` say how long everything that these samples count takes?
bool pace_is_known(const nlohmann::json& samples, const std::optional<DevicePace>& device) {
  const nlohmann::json& end = samples.back();
  const double reads = end.value("requests", 0.0);
  const double writes = end.value("writes", 0.0);
  if (!device || reads + writes == 0) return false;
  if (end.value("major_faults", 0.0) > kMostFaults * (reads + writes)) return false;
  if (reads > 0 && device->costs.empty()) return false;
  return writes == 0 || device->write_mb_per_s > 0 || !device->write_costs.empty();
}

}  // namespace

double request_us(std::span<const CostPoint> costs, double bytes) {
  const auto at = [&](std::size_t i) { return static_cast<double>(costs[i].bytes); };
  if (costs.size() == 1 || bytes <= at(0)) return costs.front().us;
  std::size_t next = 1;  // the first point that is as large, or the last one: extrapolates
  while (next + 1 < costs.size() && at(next) < bytes) ++next;
  const double part = (bytes - at(next - 1)) / (at(next) - at(next - 1));
  return costs[next - 1].us + part * (costs[next].us - costs[next - 1].us);
}

nlohmann::json bound_by(const nlohmann::json& samples, double processors,
                        const std::optional<DevicePace>& device) {
  if (samples.empty()) return nullptr;
  const bool paced = pace_is_known(samples, device);
  Samples stretches(processors, paced ? &*device : nullptr);
  const double sustained = paced ? device->sustained : 1;
  Stretch all;
  double device_s = 0;
  double processors_s = 0;
  double neither_s = 0;
  for (const nlohmann::json& sample : samples) {
    const Stretch stretch = stretches.to(sample);
    all.seconds += stretch.seconds;
    all.device += stretch.seconds * stretch.device;
    all.processors += stretch.seconds * stretch.processors;
    const bool by_device = stretch.device >= kDeviceBound * sustained;
    const bool by_processors = stretch.processors >= kProcessorsBound;
    if (by_device) device_s += stretch.seconds;
    if (by_processors) processors_s += stretch.seconds;
    if (!by_device && !by_processors) neither_s += stretch.seconds;
  }
  const double seconds = std::max(all.seconds, 1e-9);
  nlohmann::json bound = {
      {"device", nullptr},
      {"processors", {{"share", all.processors / seconds}, {"seconds", processors_s}}},
      {"neither_s", neither_s},
      {"seconds", all.seconds}};
  if (paced) {
    bound["device"] = {{"source", device->source},
                       {"share", all.device / seconds},
                       {"sustained_share", all.device / seconds / sustained},
                       {"seconds", device_s}};
  }
  return bound;
}

}  // namespace outcore
