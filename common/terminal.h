// SPDX-License-Identifier: Apache-2.0
// What people get on stderr beside a verb's result: progress, remarks, the colour of an error.
#pragma once

#include <string>

namespace outcore {

// --quiet: stderr gets errors and nothing else. Of the whole process; set before any thread starts.
void set_quiet(bool quiet);
[[nodiscard]] bool is_quiet();

// May a line of progress be written over and over? Only on a terminal, and not when quiet.
[[nodiscard]] bool shows_progress();

// May what people get be coloured? Only on a terminal, unless NO_COLOR is set (no-color.org).
[[nodiscard]] bool shows_colour();

// One line on stderr, without its end; nothing when quiet.
void remark(const std::string& line);

// What an error begins with: in red where shows_colour().
[[nodiscard]] std::string error_prefix();

}  // namespace outcore
