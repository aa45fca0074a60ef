// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <iostream>

#include "tests/crash/pmem_campaign.h"
#include "tests/crash/pmem_subject_of.h"
#include "tests/sanitized.h"

namespace outcore::evolving {
namespace {

constexpr std::uint64_t kSeeds = kSanitized ? 1 : 20;

std::uint64_t try_lives(SimMemory::Fault fault, std::uint64_t step) {
  const PmemSubjectOf subject;
  std::uint64_t points = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::uint64_t operations = operations_of_life(subject, seed);
    for (std::uint64_t at = 1 + seed % step; at <= operations; at += step) {
      EXPECT_EQ(try_point(subject, {seed, at, fault}), "") << "seed " << seed << ", point " << at;
      ++points;
    }
  }
  return points;
}

TEST(PmemCrash, ALossOfPowerAtEveryOtherOperationLosesNothingThatWasAcknowledged) {
  const std::uint64_t points = try_lives(SimMemory::Fault::power_cut, kSanitized ? 7 : 2);
  EXPECT_GT(points, kSeeds * 100);
  std::cout << points << " losses of power\n";
}

TEST(PmemCrash, AFullMemoryKeepsWhatWasAcknowledgedAndGoesOnWhenThereIsRoom) {
  std::cout << try_lives(SimMemory::Fault::full, 17) << " full memories\n";
}

}  // namespace
}  // namespace outcore::evolving
