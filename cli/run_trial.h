// SPDX-License-Identifier: Apache-2.0
// One trial of a run, from cold pages to a verified answer.
#pragma once

#include "cli/run_record.h"

namespace outcore {

// `record` is filled in on the way, so a trial that fails half-way leaves what is known. Throws
// Error (wrong_answer) when the verifier rejects the answer. `limit` is null without one; it does
// not bind the verifier.
void run_trial(const RunRequest& request, std::size_t trial, const TellRecord& tell,
               nlohmann::json& record, const MemoryLimit* limit);

}  // namespace outcore
