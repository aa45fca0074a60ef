// SPDX-License-Identifier: Apache-2.0
// The libFuzzer target of one of fuzz_targets(), which OUTCORE_FUZZ_TARGET names (CMakeLists.txt).
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  outcore::limit_file_sizes();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("outcore_fuzz_" + std::to_string(::getpid()));
  outcore::fuzz(OUTCORE_FUZZ_TARGET, {reinterpret_cast<const char*>(data), size}, folder);
  return 0;
}
