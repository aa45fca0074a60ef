// SPDX-License-Identifier: Apache-2.0
#include "cli/on_interrupt.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/error.h"
#include "common/terminal.h"

namespace outcore {

namespace {

// The other threads are left where they are.
[[noreturn]] void end_process(const std::function<std::string()>& end) {
  ExitCode code = ExitCode::interrupted;
  std::string message;
  try {
    message = "interrupted: " + end();
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  }
  std::fputs(fmt::format("{}{}\n", error_prefix(), message).c_str(), stderr);
  std::fflush(stdout);
  std::_Exit(static_cast<int>(code));
}

}  // namespace

OnInterrupt::OnInterrupt() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

OnInterrupt::~OnInterrupt() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::jthread OnInterrupt::then(std::function<std::string()> end) const {
  return std::jthread([this, end = std::move(end)](const std::stop_token& stop) {
    constexpr timespec kWait{.tv_sec = 0, .tv_nsec = 20'000'000};
    while (!stop.stop_requested()) {
      if (sigtimedwait(&signals_, nullptr, &kWait) > 0) end_process(end);
    }
  });
}

}  // namespace outcore
