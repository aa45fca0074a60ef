// SPDX-License-Identifier: Apache-2.0
// The `outcore` command line: parses it, runs one verb, and turns an error into one line on stderr
// and an exit code (common/error.h; README.md documents the codes).
#pragma once

namespace outcore {

int run_command_line(int argc, const char* const* argv);

}  // namespace outcore
