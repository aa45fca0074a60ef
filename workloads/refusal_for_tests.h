// SPDX-License-Identifier: Apache-2.0
// The message of a refused request, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "common/error.h"

namespace outcore {

// The message of the usage error that f() throws.
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
