// SPDX-License-Identifier: Apache-2.0
// TOML files (devices) as JSON documents, so that they are checked and read by the same means as
// JSON files (json_field of common/files.h). Dates and times become text.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// Throws bad_input with the line when the file is no TOML, io when it cannot be read.
nlohmann::json read_toml(const std::filesystem::path& path);

// An object as TOML; objects in arrays stand on a line each. Keys are bare ones (letters, digits,
// _ and -). TOML has no null: throws std::logic_error, for that is a fault of the caller.
std::string to_toml(const nlohmann::json& json);

}  // namespace outcore
