// SPDX-License-Identifier: Apache-2.0
// A race against programs that others wrote (outcore race --with). The Python package
// outcore_analysis.contest holds it, because it starts whatever a description names, and keeps
// nothing of it running; this program says what is asked, and takes part as one of the contestants.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_record.h"

namespace outcore {

// What the command line asks of such a race.
struct ContestArgs {
  std::vector<std::string> contestants;  // empty: there is none
  unsigned turns = 5;
  bool warm = false;
  std::filesystem::path record;
};

// Throws a usage Error where the package is not there. Call it before any work.
void check_contest(const ContestArgs& args);

// Holds the race, in place of this process, and so does not return. `request` is what our engine is
// to run; `frames` as the user would write them.
[[noreturn]] void hold_contest(const ContestArgs& args, const RunRequest& request,
                               const std::string& frames, bool json);

}  // namespace outcore
