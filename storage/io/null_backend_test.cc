// SPDX-License-Identifier: Apache-2.0
#include "storage/io/null_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kNullBlock = 4096;

TEST(Null, AnswersWithZeroesThatNoSumIsAskedOfAndIsCounted) {
  const PatternedFile file(8 * kNullBlock);
  Door door({file.block_file(kNullBlock)}, "null", {.depth = 2});
  AlignedBuffer buffer(4 * kNullBlock);
  std::fill(buffer.all().begin(), buffer.all().end(), std::byte{0xAB});
  DoorChannel channel(door, buffer.all());
  std::array<std::uint64_t, 2> tags{};
  ASSERT_TRUE(channel.read(0, 2, 4, buffer.at(0), 7));
  EXPECT_EQ(channel.reap(tags, 1), 1U);
  EXPECT_EQ(tags[0], 7U);
  EXPECT_EQ(std::count(buffer.all().begin(), buffer.all().end(), std::byte{0}), 4 * kNullBlock);
  EXPECT_EQ(channel.counters().requested_bytes, 4 * kNullBlock);
  EXPECT_THAT(door.backend().notes(), ElementsAre(HasSubstr("answer means nothing")));
}

TEST(Null, AReadPastTheEndFailsAsEverywhere) {
  const PatternedFile file(2 * kNullBlock);
  const auto backend = make_backend("null", {.depth = 2});
  backend->add_file(file.path());
  AlignedBuffer buffer(2 * kNullBlock);
  const auto channel = backend->open_channel(buffer.all());
  ASSERT_EQ(channel->submit({0, 2 * kNullBlock, kNullBlock, buffer.at(0), 1}), Submit::queued);
  std::array<Completion, 1> done;
  try {
    channel->reap(done, 1);
    ADD_FAILURE() << "answered";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the file ends 4096 bytes early"));
  }
}

}  // namespace
}  // namespace outcore
