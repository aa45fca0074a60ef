// SPDX-License-Identifier: Apache-2.0
// Builds the commands that a message tells the user to paste into a shell.
#pragma once

#include <filesystem>
#include <string>

namespace outcore {

// The path as one word of a command. It is quoted where a shell would interpret it, and gets ./ in
// front of a dash, so that it is not taken for an option.
std::string shell_word(const std::filesystem::path& path);

}  // namespace outcore
