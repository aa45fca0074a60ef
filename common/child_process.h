// SPDX-License-Identifier: Apache-2.0
// Another program that does some work for this one. Its standard output is a pipe to read from, its
// standard input is a file or nothing, and the last line that it writes to stderr is kept for a
// message.
//
// One thread uses the object; the pipe may be read by another. The destructor ends the program if
// it is still running.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/files.h"

namespace outcore {

class ChildProcess {
 public:
  // Starts words[0], searched for in PATH as a shell does. `input` is read from its beginning; -1
  // means no input. Throws an io Error when the program cannot be started.
  explicit ChildProcess(const std::vector<std::string>& words, int input = -1);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The reading end of the pipe, which the caller owns from now on. Call it once.
  int take_output();

  struct Ended {
    int code = 0;      // minus the signal's number when a signal ended it
    std::string said;  // the last line on stderr
  };
  // Waits until the program ends. REQUIRES: its output was read to the end, or the pipe is closed.
  Ended wait();

 private:
  File said_;
  int output_ = -1;
  pid_t process_ = -1;
};

}  // namespace outcore
