// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/fuzz_layout.h"

namespace outcore {

namespace {

constexpr const char* kLayout = "layout";

}  // namespace

std::vector<std::string> fuzz_targets() {
  std::vector<std::string> targets = fuzzed_endings();
  targets.emplace_back(kLayout);
  return targets;
}

FuzzOutcome fuzz(const std::string& target, std::string_view bytes,
                 const std::filesystem::path& folder) {
  return target == kLayout ? fuzz_layout(bytes, folder) : fuzz_import(target, bytes, folder);
}

}  // namespace outcore
