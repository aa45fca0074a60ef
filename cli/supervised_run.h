// SPDX-License-Identifier: Apache-2.0
// A run in a process of its own, which leaves a record however it ends.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_record.h"
#include "common/error.h"

namespace outcore {

// The record of the run, which stands in the file `record` too unless that is empty. REQUIRES:
// prepare() has let the request pass.
nlohmann::json supervised_run(const RunRequest& request, const std::filesystem::path& record);

// The exit code that tells how it ended.
ExitCode exit_code_of(const nlohmann::json& record);

}  // namespace outcore
