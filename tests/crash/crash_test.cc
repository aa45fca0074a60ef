// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <iostream>

#include "storage/evolving/durable/durable_store.h"
#include "tests/crash/campaign.h"
#include "tests/sanitized.h"

namespace outcore::evolving {
namespace {

constexpr std::uint64_t kSeeds = kSanitized ? 1 : 20;

const SubjectOf<DurableStore>& durable_store() {
  static const SubjectOf<DurableStore> subject;
  return subject;
}

// Tries one operation of `step` of each life. Returns how many.
std::uint64_t try_lives(SimDisk::Fault fault, std::uint64_t step) {
  std::uint64_t points = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::uint64_t operations = operations_of_life(durable_store(), seed);
    for (std::uint64_t at = 1 + seed % step; at <= operations; at += step) {
      EXPECT_EQ(try_point(durable_store(), {seed, at, fault}), "")
          << "crash_campaign --seed " << seed << " --point " << at;
      ++points;
    }
  }
  return points;
}

TEST(Crash, APowerCutAtAnyOperationLosesNothingThatWasAcknowledged) {
  const std::uint64_t points = try_lives(SimDisk::Fault::power_cut, 1);
  EXPECT_GT(points, kSeeds * 200);
  std::cout << points << " power cuts\n";
}

TEST(Crash, AnErrorOfTheDiskLosesNothingThatWasAcknowledged) {
  std::cout << try_lives(SimDisk::Fault::error, 17) << " errors\n";
}

TEST(Crash, AFullDiskLosesNothingAndGoesOnWhenThereIsRoom) {
  std::cout << try_lives(SimDisk::Fault::full, 17) << " full disks\n";
}

}  // namespace
}  // namespace outcore::evolving
