// SPDX-License-Identifier: Apache-2.0
// What the environment may say in the place of the command line: OUTCORE_MEMORY=512M is --memory
// 512M of every verb that has the option. The command line wins.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace outcore {

inline constexpr std::array kFromEnvironment = {"backend", "frames", "memory", "threads"};

// "OUTCORE_MEMORY"
std::string environment_name(const std::string& option);

// A command that does the same again: the variables of the environment that were used, then the
// words of this process's command line.
std::vector<std::string> command_as_given();

}  // namespace outcore
