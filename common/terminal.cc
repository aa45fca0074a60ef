// SPDX-License-Identifier: Apache-2.0
#include "common/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace outcore {

namespace {

bool& quiet_now() {
  static bool quiet = false;
  return quiet;
}

bool is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace

void set_quiet(bool quiet) { quiet_now() = quiet; }

bool is_quiet() { return quiet_now(); }

bool shows_progress() { return !is_quiet() && is_terminal(); }

bool shows_colour() {
  const char* const refused = std::getenv("NO_COLOR");
  return is_terminal() && (refused == nullptr || *refused == '\0');
}

void remark(const std::string& line) {
  // By fputs: where stderr is full, a remark is not worth an exception.
  if (!is_quiet()) std::fputs(fmt::format("{}\n", line).c_str(), stderr);
}

std::string error_prefix() { return shows_colour() ? "\033[31moutcore:\033[0m " : "outcore: "; }

}  // namespace outcore
