// SPDX-License-Identifier: Apache-2.0
// TOML files (devices) as JSON documents, so that they are checked and read with the functions for
// JSON files (json_field in common/files.h). Dates and times become text.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// Throws bad_input with the line when the file is not TOML, io when it cannot be read.
nlohmann::json read_toml(const std::filesystem::path& path);

// An object as TOML; objects in arrays take one line each. Keys must be bare (letters, digits, _
// and -). TOML has no null: a null throws std::logic_error, because it is the caller's mistake.
std::string to_toml(const nlohmann::json& json);

}  // namespace outcore
