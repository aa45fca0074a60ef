// SPDX-License-Identifier: Apache-2.0
// What a device can do, measured in a scratch file: `outcore probe`.
//
// The resulting document (configs/devices/local.toml; configs/schema/probe.schema.json explains
// every field) has
//   [probe]       where, when, with what, how long it took
//   [read]        k_r (CAVE), t_rr and t_sr, [write] t_sw (the bandwidths of LOSC's cost model)
//   [sustained]   the share of the rate of large requests that remains after some seconds
//   [cost.*]      the time of a request by its size: on a busy device, and alone on it
//   [fdatasync]   the time until a write of 4 KB is kept
//   rates         the whole table of reads: random and sequential, by size and concurrency
//   writes        the same of writes from front to back, which are not synced
//   commits       the time of a write and the sync behind it, by the size of the write
//
// Time is bounded: the most important cells are measured first, each cell ends as soon as its rate
// is known to 1.5%, and cells for which there is no time are left out and counted. Space is bounded
// too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "storage/io/device_model.h"
#include "storage/io/merge.h"
#include "storage/io/probe/fit.h"

namespace outcore {

struct ProbeOptions {
  std::filesystem::path folder;
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of the scratch file, at most
  double seconds = 60;                           // for everything, at most
};

// What is being measured, and how many of how many steps are done.
using ProbeProgress =
    std::function<void(const std::string& what, std::size_t done, std::size_t steps)>;

// Throws a usage Error for what cannot be measured, before anything is written.
void check(const ProbeOptions& options);

// Throws as check() and ScratchFile do.
nlohmann::json probe(const ProbeOptions& options, const ProbeProgress& progress);

// The parts of such a document that runs need. Throws bad_input that names the file.
struct ProbedDevice {
  std::string source;
  unsigned k_r = 1;
  std::vector<ReadRate> rates;
  RequestCost busy;      // on a busy device
  double sustained = 1;  // share of its momentary rate; 1 if the file lacks it
  // T_rr, T_sr and T_sw; 0 if the file lacks them.
  double random_mb_per_s = 0;
  double sequential_mb_per_s = 0;
  double write_mb_per_s = 0;
  // The cost of consecutive reads, at random places or in order, by size, at this concurrency or
  // the highest measured one below it.
  [[nodiscard]] std::vector<CostPoint> costs_at(unsigned concurrency, bool random = true) const;
  std::vector<ReadRate> writes;  // empty if the file lacks them
  // The same of consecutive writes.
  [[nodiscard]] std::vector<CostPoint> write_costs_at(unsigned concurrency) const;
  // Of the file's document; the path is for errors.
  static ProbedDevice read(const nlohmann::json& document, const std::filesystem::path& path);
};

}  // namespace outcore
