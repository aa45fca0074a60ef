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

// The words of this process's command line, behind what of the environment it took: a shell that is
// given them does the same again.
std::vector<std::string> command_as_given();

}  // namespace outcore
