// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "common/error.h"
#include "common/own_program.h"
#include "engines/engine.h"

namespace {

// The value of --engine; empty if it is not given.
std::string engine_of(std::span<char*> words) {
  constexpr std::string_view kOption = "--engine";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == kOption && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      return std::string(word.substr(kOption.size() + 1));
    }
  }
  return {};
}

// Whether the program must start itself again, which takes 9 ms. A run needs that only for an
// engine that uses OpenMP. Options such as --version and the verbs that only tell something do
// not; all others do.
bool goes_by_openmp(std::span<char*> words) {
  constexpr std::string_view kTelling[] = {"completion", "list", "man", "trace"};
  const std::string_view verb = words.size() > 1 ? words[1] : "";
  if (verb.empty() || verb.starts_with('-')) return false;
  if (std::ranges::find(kTelling, verb) != std::end(kTelling)) return false;
  if (verb != "run") return true;
  const std::string engine = outcore::spec_name(engine_of(words));
  const auto& entries = outcore::engines();
  return std::any_of(entries.begin(), entries.end(), [&](const outcore::EngineEntry& entry) {
    return entry.name == engine && entry.traits.openmp;
  });
}

// Waiting OpenMP threads spin by default. When the machine has other work, each of thousands of
// short rounds then waits for a thread that is not running (measured: SSSP on a 1024 x 1024 grid
// beside a build took 42 s when they spin and 3 s when they sleep). libgomp reads its policy before
// main, so the program sets it and starts itself again.
void let_openmp_wait_quietly(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  ::execv(outcore::own_program().c_str(), argv);  // if this fails, only speed is lost
}

// Returns large freed arrays to the system. By default the C library keeps freed memory of up to 32
// MB once an array of that size was freed (bfs-do on Kronecker 23, encoded: 7 MB of a peak of 178
// MB).
void give_large_memory_back() {
  constexpr int kLarge = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
}

// On an older processor the program would die by SIGILL in the middle of a run, without a message.
bool processor_suits() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  return true;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (!processor_suits()) {
    std::fputs(
        "outcore: this processor lacks AVX2 or BMI2, for which the program was compiled; "
        "build it here: make build PRESET=native\n",
        stderr);
    return static_cast<int>(outcore::ExitCode::usage);
  }
  if (goes_by_openmp({argv, static_cast<std::size_t>(argc)})) let_openmp_wait_quietly(argv);
  give_large_memory_back();
  // A file that outgrows the shell's limit (ulimit -f) then gives an error with the file's name, as
  // on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // `outcore ... | head` ends quietly, even if the parent process ignores SIGPIPE.
  std::signal(SIGPIPE, SIG_DFL);
  return outcore::run_command_line(argc, argv);
}
