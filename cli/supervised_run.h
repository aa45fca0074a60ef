// SPDX-License-Identifier: Apache-2.0
// Runs in a separate process, so that a record is left however the run ends.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_record.h"
#include "common/error.h"

namespace outcore {

// The record of the run. It is also left in the file `record`, unless that is empty. REQUIRES:
// prepare() accepted the request.
nlohmann::json supervised_run(const RunRequest& request, const std::filesystem::path& record);

// The exit code that corresponds to the record's outcome.
ExitCode exit_code_of(const nlohmann::json& record);

}  // namespace outcore
