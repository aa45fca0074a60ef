// SPDX-License-Identifier: Apache-2.0
// What a device can do, measured in a scratch file: `outcore probe`.
//
// The document that comes of it (configs/devices/local.toml; configs/schema/probe.schema.json says
// what every field means) has
//   [probe]       where, when, with what, how long it took
//   [read]        k_r (CAVE), t_rr and t_sr, [write] t_sw (the bandwidths of LOSC's cost model)
//   [sustained]   what is left of the rate of large requests after some seconds
//   [cost.*]      time of a request by its size: of a device kept busy, and alone on it
//   [fdatasync]   until a write of 4 KB is kept
//   rates         the whole table: random and sequential, by size and concurrency
//
// Time is bounded: what matters most is measured first, each cell ends as soon as its rate is known
// to 1.5%, and cells for which no time is left are left out and counted. So is space.
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
  double seconds = 60;                           // of everything, at most
};

// What is being measured, and how many steps of how many are done.
using ProbeProgress =
    std::function<void(const std::string& what, std::size_t done, std::size_t steps)>;

// Throws a usage Error for what cannot be measured, before anything is written.
void check(const ProbeOptions& options);

// Throws as check() and ScratchFile do.
nlohmann::json probe(const ProbeOptions& options, const ProbeProgress& progress);

// What runs want of such a document, read back. Throws bad_input that names the file.
struct ProbedDevice {
  std::string source;
  unsigned k_r = 1;
  std::vector<ReadRate> rates;
  RequestCost busy;      // of a device kept busy
  double sustained = 1;  // share of its momentary rate; 1 where a file says nothing of it
  // T_rr, T_sr and T_sw; 0 where a file says nothing of them.
  double random_mb_per_s = 0;
  double sequential_mb_per_s = 0;
  double write_mb_per_s = 0;
  // Of random reads one after another, by size, with that many in flight or the most below that
  // were measured.
  [[nodiscard]] std::vector<CostPoint> costs_at(unsigned concurrency) const;
  static ProbedDevice read(const std::filesystem::path& path);
};

}  // namespace outcore
