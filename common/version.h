// SPDX-License-Identifier: Apache-2.0
// What this binary was built from. The commit is asked of git at every build
// (cmake/git_commit.cmake) and compiled into version.cc alone, so that a new commit rebuilds one
// file.
#pragma once

namespace outcore {

// "0.1.0"
const char* version();

// "0123456789ab", with "-dirty" after it when tracked files were changed; "unknown" without git.
const char* git_commit();

}  // namespace outcore
