// SPDX-License-Identifier: Apache-2.0
// What this binary was built from. The build asks git for the commit every time
// (cmake/git_commit.cmake) and compiles it into version.cc alone, so a new commit rebuilds one
// file.
#pragma once

namespace outcore {

// "0.1.0"
const char* version();

// "0123456789ab", followed by "-dirty" when tracked files were changed; "unknown" without git.
const char* git_commit();

}  // namespace outcore
