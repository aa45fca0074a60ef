// SPDX-License-Identifier: Apache-2.0
// What to tell the user about a run that exceeded its memory limit.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// "it wanted at least 71.0 MiB: frames 64.0 MiB, process 5.0 MiB, index 2.0 MiB; lower --frames, or
// raise --memory; outcore plan graphs/mine --workload wcc --memory 67108864 shows what fits". Needs
// a record with an account of memory; empty without one.
std::string limit_advice(const nlohmann::json& record);

}  // namespace outcore
