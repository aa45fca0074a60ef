// SPDX-License-Identifier: Apache-2.0
// One run and its record: the JSON document of configs/schema/run.schema.json.
//
// A run has one trial or several. Each starts from the beginning: the page cache is emptied, the
// layout opened and the engine constructed again, so no trial profits from an earlier one. The
// record is that of the trial with the median time, plus one row for every trial.
//
// The record is filled in while the run goes on. If the run fails half-way, the record keeps the
// earlier trials and what is known of the trial that failed.
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

// What the command line asked for.
struct RunRequest {
  std::filesystem::path graph;
  std::string engine;
  std::string workload;
  std::string layout;
  std::optional<std::uint64_t> prefix;   // of a store's updates; unset: all
  std::filesystem::path against;         // the store's stream, to verify with; empty: the store
  std::vector<std::string> assignments;  // name=value, the workload's parameters
  std::vector<std::string> sources;      // of the trials, in turn; empty: the workload's default
  std::optional<std::int64_t> trials;    // unset: one for each source
  EngineOptions options;
  std::optional<unsigned> depth;  // unset: the engine's own; prepare() fills it into the options
  std::optional<std::uint32_t> max_request;  // unset: the engine's own
  bool depth_of_device = false;              // use its k_r instead of both
  std::optional<std::uint64_t> memory_bytes;
  bool swap = false;                // what memory_bytes do not hold goes to swap space
  std::optional<unsigned> timeout;  // seconds after which SIGALRM ends the run
  // If set, the trial computes EngineOptions::frames_bytes from memory_bytes; prepare() sets this.
  bool frames_of_memory = false;
  std::filesystem::path device;           // of a modelled device; empty: none
  std::optional<double> dilation;         // unset: worked out by prepare()
  std::optional<DeviceModel> model;       // read by prepare()
  std::string state = "memory";           // where programs keep arrays: engines/state.h
  std::string state_memory;               // how much of them stays in memory with files
  std::optional<StateFiles> state_files;  // made by prepare() of these two
  std::string holes = "off";              // prepare() makes EngineOptions::request_cost of it
  std::string most_holes;                 // prepare() makes EngineOptions::most_holes of it
  std::optional<DevicePace> pace;         // of the device, if known; set by prepare()
  bool warm = false;
  bool verify = false;
  std::filesystem::path output;
  std::optional<std::size_t> top;  // how many of the vertices with the largest values to print
  std::filesystem::path trace;
  std::filesystem::path events;
  bool watch = false;  // on the terminal
};

// Checks names, parameters and sizes before anything is started. `frames` may be a percentage, or
// empty.
void prepare(RunRequest& request, const std::string& frames);

// A record that says what was asked, and that the run has not ended.
nlohmann::json unfinished_record(const RunRequest& request);
void set_outcome(nlohmann::json& record, const std::string& status, const std::string& reason,
                 int exit_code);

// Records the memory limit and how much was counted against it.
void set_limit(nlohmann::json& record, const MemoryLimit& limit);

// Completes the account of memory with the peak resident set.
void set_peak(nlohmann::json& record, std::uint64_t peak);

// Receives the record as far as it is known: before the engine is constructed, before the algorithm
// begins, and repeatedly while it runs, because the process may be killed at any time. Its account
// of memory names what is allocated or is about to be.
using TellRecord = std::function<void(const nlohmann::json& record)>;

// Opens, runs, verifies. Throws Error (wrong_answer) when the verifier rejects the answer.
void run_into(const RunRequest& request, const TellRecord& tell, nlohmann::json& record,
              const MemoryLimit* limit);

}  // namespace outcore
