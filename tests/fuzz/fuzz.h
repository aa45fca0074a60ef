// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: the readers of `outcore import`, named by the ending of their files
// (fuzz_import.h), and those of containers and layouts, "layout" (fuzz_layout.h).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_import.h"

namespace outcore {

std::vector<std::string> fuzz_targets();
// One input for one of them, in `folder`, whose contents it replaces. REQUIRES: limit_file_sizes()
// was called.
FuzzOutcome fuzz(const std::string& target, std::string_view bytes,
                 const std::filesystem::path& folder);

}  // namespace outcore
