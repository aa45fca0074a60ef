// SPDX-License-Identifier: Apache-2.0
// Runs a command line within the test's process, and keeps what it prints.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace outcore {

struct Captured {
  int code = 0;
  std::string out;
  std::string err;
};

inline Captured run_captured(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"outcore"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Captured captured;
  captured.code = run_command_line(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  captured.out = testing::internal::GetCapturedStdout();
  captured.err = testing::internal::GetCapturedStderr();
  return captured;
}

}  // namespace outcore
