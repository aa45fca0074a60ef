// SPDX-License-Identifier: Apache-2.0
#include "common/version.h"

#include "outcore_git_commit.h"

namespace outcore {

const char* version() { return OUTCORE_VERSION; }

const char* git_commit() { return OUTCORE_GIT_COMMIT; }

}  // namespace outcore
