// SPDX-License-Identifier: Apache-2.0
// Faults planted in the durable store (mutants.toml) are noticed by the crash campaign, soon.
#include <gtest/gtest.h>

#include <iostream>

#include "common/hash.h"
#include "tests/crash/campaign.h"

namespace outcore::evolving {
namespace {

constexpr std::uint64_t kPoints = 2000;

// The points, spread over many lives: half of them over their beginnings, where most errors strike,
// and half over all of them. One in four is an error, one in eight a full disk.
CrashPoint point_at(std::uint64_t i) {
  const SimDisk::Fault fault = i % 8 == 7   ? SimDisk::Fault::full
                               : i % 4 == 1 ? SimDisk::Fault::error
                                            : SimDisk::Fault::power_cut;
  const std::uint64_t operations = i % 4 < 2 ? 400 : 2000;
  return {.seed = i % 40, .operation = 1 + mix(i) % operations, .fault = fault};
}

TEST(CrashMutants, AreCaught) {
  ASSERT_GT(Mutant::all().size(), 0U);
  for (const Mutant* mutant : Mutant::all()) {
    std::uint64_t i = 0;
    std::string wrong;
    while (wrong.empty() && i < kPoints) wrong = try_point(*mutant->subject, point_at(i++));
    EXPECT_FALSE(wrong.empty()) << mutant->fault;
    std::cout << "point " << i << ": " << mutant->fault << ": " << wrong << "\n";
  }
}

}  // namespace
}  // namespace outcore::evolving
