// SPDX-License-Identifier: Apache-2.0
// Another program that works for this one: its standard output is a pipe to be read, its standard
// input a file or nothing, and what it says on stderr is kept for a message.
//
// Used by one thread, but for the pipe, which may be another's. The destructor ends the program if
// it still runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/files.h"

namespace outcore {

class ChildProcess {
 public:
  // Starts words[0], looked for as a shell does. `input` is read from its beginning; -1: there is
  // none. Throws an io Error when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& words, int input = -1);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The reading end of the pipe, from now on the caller's; once.
  int take_output();

  struct Ended {
    int code = 0;      // minus the signal's number when a signal ended it
    std::string said;  // the last line on stderr
  };
  // Waits for its end. REQUIRES: its output was read to the end, or is closed.
  Ended wait();

 private:
  File said_;
  int output_ = -1;
  pid_t process_ = -1;
};

}  // namespace outcore
