// SPDX-License-Identifier: Apache-2.0
#include "common/machine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

namespace outcore {
namespace {

// A line of /proc/self/status, in bytes: what the kernel says in another place.
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == name + ":" && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// Within what threads of the kernel have not added up yet.
TEST(ResidentMemory, IsWhatTheKernelSaysElsewhere) {
  constexpr std::uint64_t kHeld = 48 << 20;
  constexpr std::uint64_t kUncertain = 4 << 20;
  {
    const std::vector<char> held(kHeld, 1);
    EXPECT_NEAR(static_cast<double>(resident_bytes()), status_bytes("VmRSS"), kUncertain);
    EXPECT_GE(resident_bytes(), kHeld);
  }
  EXPECT_NEAR(static_cast<double>(peak_resident_bytes()), status_bytes("VmHWM"), kUncertain);
  EXPECT_GE(peak_resident_bytes(), kHeld);
}

}  // namespace
}  // namespace outcore
