// SPDX-License-Identifier: Apache-2.0
// What a caller is told that asks for the impossible.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/error.h"

namespace outcore {

// The message of the usage error with which f() ends.
template <typename F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

}  // namespace outcore
