// SPDX-License-Identifier: Apache-2.0
// One run and its record: the JSON document of configs/schema/run.schema.json.
//
// A run is one trial or several, each from the beginning: the page cache is emptied, the layout
// opened and the engine built anew, so that no trial profits from an earlier one. The record is
// that of the trial with the median time, with a row for every trial.
//
// The record is filled in as the run goes on, so that one which fails half-way keeps what is known:
// the trials before, and what is known of the one that failed.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/memory_limit.h"
#include "engines/engine.h"
#include "storage/io/device_model.h"
#include "storage/io/probe/bound_by.h"

namespace outcore {

// What the command line asks for.
struct RunRequest {
  std::filesystem::path graph;
  std::string engine;
  std::string workload;
  std::string layout;
  std::vector<std::string> assignments;  // name=value, of the workload's parameters
  std::vector<std::string> sources;      // of the trials, in turn; none: the workload's default
  std::optional<std::int64_t> trials;    // none: one for each source
  EngineOptions options;
  std::optional<unsigned> depth;  // none: the engine's own; prepare() puts it into the options
  std::optional<std::uint32_t> max_request;  // as depth: the engine's own where it is left open
  bool depth_of_device = false;              // its k_r in place of both
  std::optional<std::uint64_t> memory_bytes;
  bool swap = false;  // what memory_bytes do not hold goes to swap space
  // The trial makes EngineOptions::frames_bytes of what memory_bytes leave; prepare() says so.
  bool frames_of_memory = false;
  std::filesystem::path device;           // of a modelled device; empty: the device as it is
  std::optional<double> dilation;         // none: worked out by prepare()
  std::optional<DeviceModel> model;       // read by prepare()
  std::string state = "memory";           // where arrays of programs lie: engines/state.h
  std::string state_memory;               // how much of them stays in memory all the same
  std::optional<StateFiles> state_files;  // prepare() makes it of both
  std::string holes = "off";              // prepare() makes EngineOptions::request_cost of it
  std::string most_holes;                 // and most_holes of this
  std::optional<DevicePace> pace;         // of the device, if that is known; read by prepare()
  bool warm = false;
  bool verify = false;
  std::filesystem::path output;
  std::optional<std::size_t> top;  // so many vertices of the largest values are wanted
  std::filesystem::path trace;
};

// Checks names, parameters and sizes before anything is started; `frames` may be a percentage, or
// empty.
void prepare(RunRequest& request, const std::string& frames);

// A record that says only what was asked, and that the run has not ended.
nlohmann::json unfinished_record(const RunRequest& request);
void set_outcome(nlohmann::json& record, const std::string& status, const std::string& reason,
                 int exit_code);

// Which limit there was, and what was counted against it.
void set_limit(nlohmann::json& record, const MemoryLimit& limit);

// Completes the account of memory by the greatest resident set.
void set_peak(nlohmann::json& record, std::uint64_t peak);

// Takes the record as far as it is known before the engine is built, before the algorithm begins,
// and now and again meanwhile: all may be ended from outside. Its memory names what is there or
// will be.
using TellRecord = std::function<void(const nlohmann::json& record)>;

// Opens, runs, verifies. Throws Error (wrong_answer) when the verifier says no.
void run_into(const RunRequest& request, const TellRecord& tell, nlohmann::json& record);

}  // namespace outcore
