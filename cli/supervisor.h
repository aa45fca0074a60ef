// SPDX-License-Identifier: Apache-2.0
// Runs a piece of work in a child process and reports how it ended, so that a run that is killed or
// exceeds its memory limit still leaves a record that says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/error.h"
#include "common/memory_limit.h"

namespace outcore {

struct Ending {
  enum class Kind : std::uint8_t { exited, killed, out_of_memory, interrupted };
  Kind kind = Kind::exited;
  int exit_code = 0;   // the child's if it exited, else minus the signal
  std::string reason;  // empty if it exited with 0
  std::uint64_t peak_resident_bytes = 0;
};

// Calls `work` in a child process (inside `limit` if there is one), waits for it and watches the
// limit. The child's exit code is what `work` returns, or that of the Error that it throws, which
// the child prints to stderr. SIGINT, SIGTERM and SIGHUP are forwarded to the child; the parent
// outlives it to record what happened. Ctrl-Z (SIGTSTP) stops the parent after the child. When the
// parent is killed, so is the child. Call it before any thread is started.
Ending run_supervised(const std::function<ExitCode()>& work, MemoryLimit* limit);

}  // namespace outcore
