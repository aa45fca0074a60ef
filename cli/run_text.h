// SPDX-License-Identifier: Apache-2.0
// What `outcore run` prints of a record.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// In a few lines for people.
std::string describe(const nlohmann::json& record);

// In the words of the GAP Benchmark Suite's programs, for scripts that read those: Read Time, the
// size of the graph, a Trial Time for each trial, how it was verified, and their Average Time.
// "Trial" is the algorithm (run_s), "Read" what comes before it (open_s and prepare_s), on average:
// each trial reads anew. Engines that keep the graph on disk read during the trial.
std::string in_gap_form(const nlohmann::json& record);

}  // namespace outcore
