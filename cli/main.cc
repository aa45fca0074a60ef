// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "cli/command_line.h"

namespace {

// Waiting OpenMP threads spin by default: on a machine that does anything else besides, thousands
// of short rounds then wait for a thread that is not running (measured: SSSP on a 1024 x 1024 grid
// 3 s instead of 42 s beside a build). libgomp reads its policy before main, hence the second
// start.
void let_openmp_wait_quietly(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv(self.c_str(), argv);  // when that cannot be, nothing but speed is lost
}

}  // namespace

int main(int argc, char** argv) {
  let_openmp_wait_quietly(argv);
  // A file that outgrows the shell's limit (ulimit -f) is then an error with its name, as on a full
  // disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // `outcore ... | head` ends quietly, also where who started it ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  return outcore::run_command_line(argc, argv);
}
