// SPDX-License-Identifier: Apache-2.0
// Where the program lies that this process runs.
#pragma once

#include <filesystem>
#include <system_error>

namespace outcore {

// Empty if /proc does not say.
inline std::filesystem::path own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

// The checkout that it was built in, as build/<preset>/outcore. If it was installed elsewhere, some
// folder without the checkout's files.
inline std::filesystem::path own_checkout() {
  return own_program().parent_path().parent_path().parent_path();
}

}  // namespace outcore
