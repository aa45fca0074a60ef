// SPDX-License-Identifier: Apache-2.0
// What `outcore run` prints from a record.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// A few lines for people.
std::string describe(const nlohmann::json& record);

// The output of the GAP Benchmark Suite's programs, for scripts that parse it: Read Time, the size
// of the graph, a Trial Time for each trial, whether it was verified, and the Average Time. "Trial"
// is the algorithm (run_s). "Read" is the time before it (open_s and prepare_s), averaged, because
// each trial reads again. Engines that keep the graph on disk read during the trial.
std::string in_gap_form(const nlohmann::json& record);

}  // namespace outcore
