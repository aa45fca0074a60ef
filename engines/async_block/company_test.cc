// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/company.h"

#include <gtest/gtest.h>

namespace outcore {
namespace {

constexpr std::size_t kWindow = 1000;  // vertices
constexpr std::size_t kMembers = 100;  // of each block

// Of a thousand blocks, each of which speaks as a whole.
class Speakers {
 public:
  // So many windows of the blocks from `block` on. True if the others go on again after the last.
  bool say(std::uint32_t block, std::size_t windows, bool early = false) {
    bool go_on = false;
    for (std::size_t n = 0; n < windows * kWindow / kMembers; ++n) {
      go_on = company.note(block++, kMembers, kMembers, early);
    }
    return go_on;
  }
  // Windows until one goes on alone no more, where nothing is said again.
  std::size_t windows_alone(std::uint32_t block) {
    std::size_t windows = 0;
    for (; company.alone(); ++windows)
      say(static_cast<std::uint32_t>(block + windows * kWindow / kMembers), 1);
    return windows;
  }

  Company company{1'000'000, kWindow};
};

TEST(Company, IsAlwaysKeptWithoutBlocks) {
  Company company;
  EXPECT_FALSE(company.alone());
  EXPECT_FALSE(company.note(std::size_t{1} << 40));
  EXPECT_FALSE(company.alone());
}

TEST(Company, BeginsWithOneAlone) {
  Speakers speakers;
  EXPECT_TRUE(speakers.company.alone());
  EXPECT_TRUE(speakers.say(0, 1)) << "the others are to be told";
  EXPECT_FALSE(speakers.company.alone());
}

// As in graphs where the least label is everywhere.
TEST(Company, IsKeptWhereNothingIsSaidEarly) {
  Speakers speakers;
  speakers.say(0, 1);
  EXPECT_FALSE(speakers.say(100, 1000));
  EXPECT_FALSE(speakers.company.alone());
}

// As along a chain.
TEST(Company, IsLeftWhereWhatWasSaidEarlyIsSaidAgain) {
  Speakers speakers;
  speakers.say(0, 1);
  speakers.say(500, 1, /*early=*/true);
  EXPECT_TRUE(speakers.company.alone()) << "to look";
  speakers.say(10, 1);
  EXPECT_TRUE(speakers.company.alone());
  speakers.say(500, 1);
  EXPECT_EQ(speakers.windows_alone(1000), 16U);
  speakers.say(5000, 1, /*early=*/true);
  speakers.say(5000, 1);
  EXPECT_EQ(speakers.windows_alone(10'000), 64U) << "later each time";
}

// As in many small components.
TEST(Company, IsKeptLongerWhereWhatWasSaidEarlyIsNotSaidAgain) {
  Speakers speakers;
  speakers.say(0, 1);
  for (std::size_t trust = 1; trust <= 8; trust *= 2) {
    const auto first = static_cast<std::uint32_t>(trust * 1000);
    speakers.say(first, trust - 1, /*early=*/true);
    EXPECT_FALSE(speakers.company.alone()) << trust;
    speakers.say(first + 500, 1, /*early=*/true);
    EXPECT_TRUE(speakers.company.alone()) << trust;
    EXPECT_EQ(speakers.windows_alone(first + 600), 6U);
  }
}

// One executor alone says as much again here, so it gains nothing by going on alone.
TEST(Company, IsKeptWhereOneAloneSaysAsMuchAgain) {
  Speakers speakers;
  speakers.say(0, 1);
  speakers.say(500, 1, /*early=*/true);
  speakers.say(500, 1);
  for (int window = 0; window < 16; ++window) speakers.say(500, 1);
  EXPECT_FALSE(speakers.company.alone());
  speakers.say(500, 1, /*early=*/true);
  for (int window = 0; window < 6; ++window) speakers.say(500, 1);
  EXPECT_FALSE(speakers.company.alone());
}

// As in a wide grid: an executor is seldom early, and two of them do twice as much.
TEST(Company, IsKeptWhereLittleOfAllIsSaidAgain) {
  Speakers speakers;
  speakers.say(0, 1);
  speakers.say(1000, 20);
  speakers.say(500, 1, /*early=*/true);
  ASSERT_TRUE(speakers.company.alone()) << "to look";
  speakers.say(500, 1);
  EXPECT_EQ(speakers.windows_alone(10'000), 5U);
}

// While one alone comes to what was said in vain, it says much again itself. The next trial is not
// compared with that alone.
TEST(Company, IsLeftAgainThoughOneAloneHadJustComeToWhatWasSaidEarly) {
  Speakers speakers;
  speakers.say(0, 1);
  speakers.say(500, 1, /*early=*/true);
  speakers.say(500, 1);
  speakers.say(1000, 15);
  ASSERT_TRUE(speakers.say(1000, 1)) << "the others are tried again";
  speakers.say(5000, 1, /*early=*/true);
  speakers.say(5000, 1);
  EXPECT_EQ(speakers.windows_alone(10'000), 64U);
}

// Vertices in the index are not known to have said it before.
TEST(Company, CountsVerticesWithoutABlock) {
  Speakers speakers;
  EXPECT_TRUE(speakers.company.note(kWindow));
  EXPECT_FALSE(speakers.company.alone());
}

}  // namespace
}  // namespace outcore
