// SPDX-License-Identifier: Apache-2.0
// What a verb does when it is interrupted, in a thread that waits for that: the verb's own thread
// may be waiting for a pipe.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace outcore {

class OnInterrupt {
 public:
  // From here on SIGINT, SIGTERM and SIGHUP wait. REQUIRES: no other thread has been started, so
  // that every thread lets them wait.
  OnInterrupt();
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

  // Starts a thread that waits for such a signal. It then calls `end`, prints what that returns and
  // ends the process with exit code `interrupted`, or with that of the Error that `end` throws. The
  // thread's destructor does not return if a signal came.
  [[nodiscard]] std::jthread then(std::function<std::string()> end) const;

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

}  // namespace outcore
