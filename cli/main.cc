// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>

#include "cli/command_line.h"

namespace {

// Whether to start twice, which takes 9 ms: of runs only those on in_memory have OpenMP's rounds.
bool goes_by_openmp(std::span<char*> words) {
  const auto names_in_memory = [](std::string_view word) {
    return word.find("in_memory") != std::string_view::npos;
  };
  const bool runs = words.size() > 1 && std::string_view(words[1]) == "run";
  return !runs || std::any_of(words.begin(), words.end(), names_in_memory);
}

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

// Large arrays that are freed go back to the system. By default the C library keeps those of up to
// 32 MB once one of that size was freed (bfs-do on Kronecker 23, encoded: 7 MB of 178 at the peak).
void give_large_memory_back() {
  constexpr int kLarge = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
}

}  // namespace

int main(int argc, char** argv) {
  if (goes_by_openmp({argv, static_cast<std::size_t>(argc)})) let_openmp_wait_quietly(argv);
  give_large_memory_back();
  // A file that outgrows the shell's limit (ulimit -f) is then an error with its name, as on a full
  // disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // `outcore ... | head` ends quietly, also where who started it ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  return outcore::run_command_line(argc, argv);
}
