// SPDX-License-Identifier: Apache-2.0
#include "cli/run_device.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/device_files.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/shell.h"
#include "common/sizes.h"
#include "storage/io/probe/probe.h"

namespace outcore {

namespace {

constexpr std::uint64_t kLargestPaced = 1 << 20;  // the largest request in a probe's table

// Of the device that the graph lies on, as a probe names it.
std::string device_source(const RunRequest& request) {
  return device_facts(request.graph).at("source");
}

// A probe that lies beside the model, which wins over those of device_folders().
std::filesystem::path beside_model(const RunRequest& request) {
  return request.device.empty() ? std::filesystem::path()
                                : request.device.parent_path() / "local.toml";
}

// What a probe found of that device; nothing if it was not probed.
std::optional<FoundProbe> probed_here(const RunRequest& request) {
  return find_probe(device_source(request), beside_model(request));
}

// "outcore probe graphs/mine", after which the device of that graph is known.
std::string probe_command(const RunRequest& request) {
  return fmt::format("outcore probe {}", shell_word(request.graph));
}

// The dilation at which the device that holds the graph can keep up with the model.
double worked_out_dilation(const RunRequest& request, const std::optional<FoundProbe>& probed) {
  const std::string backend = spec_name(request.options.backend);
  if (backend == "mem" || backend == "null") return 1;  // nothing is faster
  if (!probed) {
    throw usage_error(fmt::format(
        "--device {}: {} lies on {}, and it is not known how fast that is; give --dilation, or "
        "measure it: {}",
        request.device.string(), request.graph.string(), device_source(request),
        probe_command(request)));
  }
  return dilation_for(*request.model, probed->device.rates);
}

RequestCost dilated(const RequestCost& cost, double dilation) {
  return {.us = cost.us * dilation, .us_per_kb = cost.us_per_kb * dilation};
}

DeviceRates rates_of(const DeviceModel& model, double dilation, const std::string& source) {
  const double sequential = model.rate(kLargestPaced, model.k_r, true) / dilation;
  return {.source = source,
          .k_r = model.k_r,
          .random_mb_per_s = model.rate(kAlignment, model.k_r, false) / dilation,
          .sequential_mb_per_s = sequential,
          .write_mb_per_s = model.write_rate() / dilation,
          .request = dilated(model.busy_cost(), dilation),
          .in_order = dilated(model.in_order_cost(), dilation)};
}

// As fitted over sizes; a probe that was cut short may have no reads in order.
RequestCost in_order_cost(const ProbedDevice& device) {
  const std::vector<CostPoint> costs = device.costs_at(device.k_r, /*random=*/false);
  if (costs.size() < 2) return device.busy;
  const FittedCost fitted = fit_cost(costs);
  return {.us = fitted.request_us, .us_per_kb = fitted.kb_us};
}

// The rates of the modelled device or, without one, of the real device if it was probed.
std::optional<DeviceRates> known_rates(const RunRequest& request,
                                       const std::optional<FoundProbe>& probed) {
  if (request.model) return rates_of(*request.model, *request.dilation, request.device.string());
  if (!probed) return std::nullopt;
  const ProbedDevice& device = probed->device;
  return DeviceRates{.source = probed->path.string(),
                     .k_r = device.k_r,
                     .random_mb_per_s = device.random_mb_per_s,
                     .sequential_mb_per_s = device.sequential_mb_per_s,
                     .write_mb_per_s = device.write_mb_per_s,
                     .request = device.busy,
                     .in_order = in_order_cost(device)};
}

// The pace of the modelled device or, without one, of the real device if it was probed.
std::optional<DevicePace> known_pace(const RunRequest& request,
                                     const std::optional<FoundProbe>& probed) {
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
  if (!probed) return std::nullopt;
  const std::vector<CostPoint> costs = probed->device.costs_at(depth);
  if (costs.empty()) return std::nullopt;
  return DevicePace{.source = probed->path.string(),
                    .costs = costs,
                    .sustained = probed->device.sustained,
                    .write_mb_per_s = probed->device.write_mb_per_s,
                    .write_costs = probed->device.write_costs_at(depth)};
}

// How many requests the modelled device or, without one, the probed device serves at once.
unsigned known_k_r(const RunRequest& request) {
  if (const auto& rates = request.options.rates) return rates->k_r;
  throw usage_error(fmt::format(
      "--depth device: no probe of {} was found, where {} lies; give a number, or measure it: {}",
      device_source(request), request.graph.string(), probe_command(request)));
}

void read_model(RunRequest& request) {
  if (request.device.empty()) {
    if (request.dilation)
      throw usage_error("--dilation slows a modelled device, so it needs --device too");
    return;
  }
  request.device = model_file(request.device);
  request.model = DeviceModel::read(request.device);
}

void settle_dilation(RunRequest& request, const std::optional<FoundProbe>& probed) {
  constexpr double kMostDilation = 1e6;
  if (!request.model) return;
  if (!request.dilation) request.dilation = worked_out_dilation(request, probed);
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
  read_model(request);
  const bool told_by_model = request.model && request.dilation;
  const auto probed = told_by_model ? std::nullopt : probed_here(request);
  settle_dilation(request, probed);
  request.options.rates = known_rates(request, probed);
  if (request.depth_of_device) request.options.depth = known_k_r(request);
  request.pace = known_pace(request, probed);
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
