// SPDX-License-Identifier: Apache-2.0
#include "engines/frames_left.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/error.h"

namespace outcore {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

TEST(FramesLeft, AreWhatTheLimitLeavesBesideTheRest) {
  const BesideFrames beside{.index_bytes = 10 * kMega, .state_bytes = 8 * kMega, .ids = 1 << 20};
  const std::uint64_t frames = frames_left(200 * kMega, beside);
  EXPECT_LT(frames, (200 - 18 - 12 - 8) * kMega) << "messages and frontiers take some too";
  EXPECT_GT(frames, 140 * kMega);
  EXPECT_EQ(frames_left(300 * kMega, beside), frames + 100 * kMega);
  for (std::uint64_t BesideFrames::*part :
       {&BesideFrames::index_bytes, &BesideFrames::state_bytes}) {
    BesideFrames more = beside;
    more.*part += kMega;
    EXPECT_EQ(frames_left(200 * kMega, more), frames - kMega);
  }
  BesideFrames more = beside;
  more.messages_in_files = true;
  EXPECT_EQ(frames_left(200 * kMega, more), frames + 8 * kMega) << "8 bytes a vertex";
}

TEST(FramesLeft, NamesTheLeastLimitWhereNothingIsLeft) {
  const BesideFrames beside{.index_bytes = 10 * kMega, .ids = 1 << 20};
  try {
    frames_left(40 * kMega, beside);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    const std::string text = error.what();
    EXPECT_THAT(text, testing::HasSubstr("--memory 40.0 MiB leaves nothing for frames"));
    const std::size_t at = text.find("give --memory ") + 14;
    const std::uint64_t least = std::stoull(text.substr(at)) * kMega;
    EXPECT_NO_THROW(frames_left(least, beside));
    EXPECT_THROW(frames_left(least - 2 * kMega, beside), Error);
  }
}

// For an engine whose frames the kernel may take back: how much a program really keeps of each
// vertex is estimated, and less would often do.
TEST(FramesLeft, AreNoFewerThanAnEngineDoesWith) {
  const BesideFrames beside{.index_bytes = 10 * kMega, .ids = 1 << 20, .least_frames = 8 * kMega};
  EXPECT_EQ(frames_left(20 * kMega, beside), 8 * kMega);
  EXPECT_GT(frames_left(200 * kMega, beside), 100 * kMega);
}

}  // namespace
}  // namespace outcore
