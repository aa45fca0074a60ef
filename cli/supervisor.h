// SPDX-License-Identifier: Apache-2.0
// Runs a piece of work in a child process and tells how it ended, so that a run which is killed, or
// goes over its memory limit, still leaves a record that says so.
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
  int exit_code = 0;   // of the child when it exited, else minus the signal's number
  std::string reason;  // empty when it exited with 0
  std::uint64_t peak_resident_bytes = 0;
};

// Calls `work` in a child (inside `limit` when there is one) and waits, watching over the limit.
// The child's exit code is what `work` returns, or that of the Error it throws, which is then told
// on stderr. SIGINT, SIGTERM and SIGHUP are handed on to the child; the parent outlives it to write
// down what happened. When the parent is killed, so is the child. Call before any thread is
// started.
Ending run_supervised(const std::function<ExitCode()>& work, MemoryLimit* limit);

}  // namespace outcore
