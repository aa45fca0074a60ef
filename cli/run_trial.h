// SPDX-License-Identifier: Apache-2.0
// One trial of a run, from cold pages to a verified answer.
#pragma once

#include "cli/run_record.h"

namespace outcore {

// `record` takes what becomes known on the way, so that a trial which fails half-way leaves it.
// Throws Error (wrong_answer) when the verifier says no.
void run_trial(const RunRequest& request, std::size_t trial, const TellRecord& tell,
               nlohmann::json& record);

}  // namespace outcore
