// SPDX-License-Identifier: Apache-2.0
// What a record says of a graph and of an answer on it. The answer may be an engine's (outcore run)
// or another program's (outcore verify).
#pragma once

#include <nlohmann/json.hpp>

#include "common/parameters.h"
#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

nlohmann::json graph_json(const Container& container);
// The same of a graph without files of its own.
nlohmann::json graph_json(const GraphFacts& facts, const std::string& checksum);

// Not verified yet, and not written to a file.
nlohmann::json answer_json(const Answer& answer, const Workload& workload, const GraphFacts& facts);

// The lists that a verifier reads. It trusts these files, so damage to them is found here and does
// not look like a wrong answer.
Canonical checked_lists(Container& container);

// Puts the verdict into the record's answer. Throws Error (wrong_answer) if it is a rejection.
void verify_into(nlohmann::json& record, const Workload& workload, const Parameters& parameters,
                 const Canonical& canonical, const Answer& answer);

}  // namespace outcore
