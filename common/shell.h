// SPDX-License-Identifier: Apache-2.0
// Commands that a message tells somebody to paste into a shell.
#pragma once

#include <filesystem>
#include <string>

namespace outcore {

// The path as one word of a command: quoted where a shell would make something else of it, and with
// ./ before a dash, which would begin an option.
std::string shell_word(const std::filesystem::path& path);

}  // namespace outcore
