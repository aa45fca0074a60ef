// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string_view>

namespace outcore {

// A JSON object, from what was read of the file at `path`. Throws bad_input with the parser's
// position when it is not JSON, no object, or nested so deep that copying it would overflow the
// stack.
nlohmann::json parse_json(std::istream& text, const std::filesystem::path& path);
nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path);

}  // namespace outcore
