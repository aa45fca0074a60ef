// SPDX-License-Identifier: Apache-2.0
// What to tell the user about a run that exceeded its memory limit.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace outcore {

// "it wanted at least 71.0 MiB: frames 64.0 MiB, process 5.0 MiB, index 2.0 MiB; lower --frames, or
// raise --memory, or take one that fits: async_block on acgraph (20.1 MiB); outcore plan
// graphs/mine --workload wcc --memory 67108864 shows all". From a record that has its account of
// memory; empty without one.
// `fitting` names runs that would do in its place (planner.h).
std::string limit_advice(const nlohmann::json& record, const std::vector<std::string>& fitting);

}  // namespace outcore
