// SPDX-License-Identifier: Apache-2.0
#include "cli/run_device.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "common/error.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "storage/io/probe/probe.h"

namespace outcore {

namespace {

constexpr std::uint64_t kLargestPaced = 1 << 20;  // the largest request in a probe's table

// The file of `outcore probe`: beside the model's file, or where the probe writes by default.
std::filesystem::path probe_file(const RunRequest& request) {
  if (!request.device.empty()) return request.device.parent_path() / "local.toml";
  return "configs/devices/local.toml";
}

// The name of the device that holds the graph, as a probe records it.
std::string device_source(const RunRequest& request) {
  return device_facts(request.graph).at("source");
}

// What the probe measured of that device; nothing if the device was not probed.
std::optional<ProbedDevice> probed_here(const RunRequest& request) {
  const std::filesystem::path path = probe_file(request);
  if (!std::filesystem::exists(path)) return std::nullopt;
  ProbedDevice probed = ProbedDevice::read(path);
  if (probed.source != device_source(request)) return std::nullopt;
  return probed;
}

// The dilation at which the device that holds the graph can keep up with the model.
double worked_out_dilation(const RunRequest& request) {
  const std::string backend = spec_name(request.options.backend);
  if (backend == "mem" || backend == "null") return 1;  // nothing is faster
  const std::filesystem::path path = probe_file(request);
  const std::string source = device_source(request);
  if (!std::filesystem::exists(path)) {
    throw usage_error(fmt::format(
        "--device {}: the speed of the real device is unknown; give --dilation, or measure it: "
        "outcore probe {} --output {}",
        request.device.string(), request.graph.string(), path.string()));
  }
  const ProbedDevice probed = ProbedDevice::read(path);
  if (probed.source != source) {
    throw usage_error(fmt::format(
        "--device {}: {} describes {}, but {} lies on {}; give --dilation, or "
        "probe that device",
        request.device.string(), path.string(), probed.source, request.graph.string(), source));
  }
  return dilation_for(*request.model, probed.rates);
}

DeviceRates rates_of(const DeviceModel& model, double dilation, const std::string& source) {
  const RequestCost cost = model.busy_cost();
  const double sequential = model.rate(kLargestPaced, model.k_r, true) / dilation;
  return {.source = source,
          .k_r = model.k_r,
          .random_mb_per_s = model.rate(kAlignment, model.k_r, false) / dilation,
          .sequential_mb_per_s = sequential,
          .write_mb_per_s = model.write_rate() / dilation,
          .request = {.us = cost.us * dilation, .us_per_kb = cost.us_per_kb * dilation}};
}

// The rates of the modelled device or, without one, of the real device if it was probed.
std::optional<DeviceRates> known_rates(const RunRequest& request) {
  if (request.model) return rates_of(*request.model, *request.dilation, request.device.string());
  const auto probed = probed_here(request);
  if (!probed) return std::nullopt;
  return DeviceRates{.source = probe_file(request).string(),
                     .k_r = probed->k_r,
                     .random_mb_per_s = probed->random_mb_per_s,
                     .sequential_mb_per_s = probed->sequential_mb_per_s,
                     .write_mb_per_s = probed->write_mb_per_s,
                     .request = probed->busy};
}

// The pace of the modelled device or, without one, of the real device if it was probed.
std::optional<DevicePace> known_pace(const RunRequest& request) {
  const unsigned depth = request.options.depth;
  if (const auto& model = request.model) {
    DevicePace pace = {.source = request.device.string(),
                       .costs = {},
                       .write_mb_per_s = model->write_rate() / *request.dilation};
    for (std::uint64_t bytes = kAlignment; bytes <= kLargestPaced; bytes *= 2) {
      const double us = static_cast<double>(bytes) / model->rate(bytes, depth, false);
      pace.costs.push_back({bytes, us * *request.dilation});
    }
    return pace;
  }
  const auto probed = probed_here(request);
  const std::vector<CostPoint> costs = probed ? probed->costs_at(depth) : std::vector<CostPoint>();
  if (costs.empty()) return std::nullopt;
  return DevicePace{.source = probe_file(request).string(),
                    .costs = costs,
                    .sustained = probed->sustained,
                    .write_mb_per_s = probed->write_mb_per_s};
}

// How many requests the modelled device or, without one, the probed device serves at once.
unsigned known_k_r(const RunRequest& request) {
  if (const auto& rates = request.options.rates) return rates->k_r;
  const std::string path = probe_file(request).string();
  throw usage_error(fmt::format(
      "--depth device: {} says nothing of {}, where {} lies; give a number, or measure it: outcore "
      "probe {} --output {}",
      path, device_source(request), request.graph.string(), request.graph.string(), path));
}

void prepare_model(RunRequest& request) {
  constexpr double kMostDilation = 1e6;
  if (request.device.empty()) {
    if (request.dilation)
      throw usage_error("--dilation slows a modelled device, so it needs --device too");
    return;
  }
  request.model = DeviceModel::read(request.device);
  if (!request.dilation) request.dilation = worked_out_dilation(request);
  if (!(*request.dilation >= 1 && *request.dilation <= kMostDilation)) {
    throw usage_error(fmt::format("--dilation {}: expected a number from 1 to {}",
                                  *request.dilation, kMostDilation));
  }
}

void prepare_holes(RunRequest& request) {
  EngineOptions& options = request.options;
  // If the device is unknown, use the cost measured in docs/architecture.md.
  options.request_cost = request.holes == "on"
                             ? (options.rates ? options.rates->request : kMeasuredCost)
                             : parse_request_cost(request.holes, "--holes");
  if (request.most_holes.empty()) return;
  if (request.holes == "off")
    throw usage_error("--most-holes limits --holes, so it needs --holes too");
  options.most_holes = parse_percentage(request.most_holes, "--most-holes");
}

}  // namespace

void prepare_device(RunRequest& request) {
  prepare_model(request);
  request.options.rates = known_rates(request);
  if (request.depth_of_device) request.options.depth = known_k_r(request);
  request.pace = known_pace(request);
  prepare_holes(request);
}

void add_device(nlohmann::json& record, const ModelledDevice& device) {
  const ModelledDevice::Counts counts = device.counts();
  record["modelled"] = {
      {"device", device.model().name},
      {"model", device.model().json()},
      {"dilation", device.dilation()},
      {"requests", counts.requests},
      {"late", counts.late},
      {"worst_late_us", static_cast<double>(counts.worst.count()) / 1000},
      {"overslept", counts.overslept},
      {"worst_overslept_us", static_cast<double>(counts.worst_overslept.count()) / 1000},
      {"honoured", counts.honoured()}};
}

void check_honoured(const ModelledDevice& device) {
  const ModelledDevice::Counts counts = device.counts();
  if (counts.honoured()) return;
  throw Error(
      ExitCode::io,
      fmt::format(
          "the model of {} was not honoured: {:.1f}% of {} requests came later than the "
          "model allows (at most {:.0f}% may), {} because of the real device and {} because "
          "our thread woke too late; the answer is right but the times mean nothing: give a "
          "--dilation above {}, or run it while nothing else uses the device and the "
          "processors",
          device.model().name, 100 * counts.late_share(), counts.requests,
          100 * ModelledDevice::kMostLate, counts.late, counts.overslept, device.dilation()));
}

}  // namespace outcore
