// SPDX-License-Identifier: Apache-2.0
// Formats the document of `outcore inspect --json` for a terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

std::string inspect_text(const nlohmann::json& graph);

}  // namespace outcore
