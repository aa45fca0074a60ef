// SPDX-License-Identifier: Apache-2.0
#include "storage/io/fault_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

constexpr std::uint32_t kFaultBlock = 4096;
constexpr std::uint64_t kFaultBlocks = 64;

// Reads every block once, in order, `depth` at a time. Returns the Error's text, empty if all went
// well.
std::string read_all(const BlockFile& blocks, const std::string& plan, unsigned depth,
                     std::vector<std::byte>* read = nullptr,
                     std::vector<std::uint64_t>* ended = nullptr) {
  AlignedBuffer buffer(kFaultBlocks * kFaultBlock);
  try {
    Door door({blocks}, "fault", {.depth = depth, .fault_plan = plan});
    DoorChannel channel(door, buffer.all());
    std::vector<std::uint64_t> tags(depth);
    const auto reap = [&] {
      const std::size_t count = channel.reap(tags, 1);
      if (ended != nullptr) ended->insert(ended->end(), tags.begin(), tags.begin() + count);
    };
    for (BlockId block = 0; block < kFaultBlocks; ++block) {
      while (!channel.read(0, block, 1, buffer.at(block * kFaultBlock), block)) reap();
    }
    while (channel.in_flight() > 0) reap();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    return error.what();
  }
  if (read != nullptr) read->assign(buffer.all().begin(), buffer.all().end());
  return {};
}

class Faults : public testing::TestWithParam<const char*> {
 protected:
  static std::string plan(const std::string& items) {
    return fmt::format("over:{},{}", GetParam(), items);
  }
  std::string at(BlockId block) const {
    return fmt::format("{} at offset {}", file_.path().string(), block * kFaultBlock);
  }
  PatternedFile file_{kFaultBlocks * kFaultBlock};
  BlockFile blocks_ = file_.block_file(kFaultBlock);
};

TEST_P(Faults, AnIoErrorStopsWithFileOffsetAndErrno) {
  EXPECT_THAT(read_all(blocks_, plan("eio@13"), 8),
              AllOf(HasSubstr(at(13)), HasSubstr("Input/output error (errno 5)")));
}

TEST_P(Faults, AShortReadStopsWithTheOffsetWhereTheBytesEnd) {
  EXPECT_THAT(read_all(blocks_, plan("short@40"), 8),
              AllOf(HasSubstr(at(40)), HasSubstr("the file ends 4096 bytes early")));
}

TEST_P(Faults, AFlippedBitIsNoticedByTheChecksum) {
  EXPECT_THAT(read_all(blocks_, plan("flip@63"), 8),
              AllOf(HasSubstr(at(63)), HasSubstr("block 63 is damaged")));
}

TEST_P(Faults, DelaysChangeNothingButTime) {
  std::vector<std::byte> read;
  EXPECT_EQ(read_all(blocks_, plan("delay:0.5"), 8, &read), "");
  EXPECT_TRUE(PatternedFile::right(read, 0));
}

// With jitter, requests end in a different order.
TEST_P(Faults, JitterChangesTheOrderInWhichReadsEndAndNothingElse) {
  const auto order = [&](const std::string& items) {
    std::vector<std::byte> read;
    std::vector<std::uint64_t> ended;
    EXPECT_EQ(read_all(blocks_, plan(items), 8, &read, &ended), "");
    EXPECT_TRUE(PatternedFile::right(read, 0));
    return ended;
  };
  const std::vector<std::uint64_t> asked = order("delay:0");
  const std::vector<std::uint64_t> shuffled = order("jitter:2,seed:1");
  EXPECT_THAT(shuffled, UnorderedElementsAreArray(asked));
  EXPECT_NE(shuffled, asked);
}

// Whatever happens, the result is the right bytes or an Error with the file and a place in it.
TEST_P(Faults, ACampaignOfRandomFaultsGivesTheRightBytesOrAnError) {
  int right = 0;
  int refused = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const auto depth = static_cast<unsigned>(1 + seed % 9);
    std::vector<std::byte> read;
    const std::string error =
        read_all(blocks_, plan(fmt::format("rate:0.02,delay:0.01,seed:{}", seed)), depth, &read);
    if (error.empty()) {
      ++right;
      EXPECT_TRUE(PatternedFile::right(read, 0)) << "seed " << seed;
    } else {
      ++refused;
      EXPECT_THAT(error, AllOf(HasSubstr(file_.path().string() + " at offset "),
                               AnyOf(HasSubstr("errno 5"), HasSubstr("bytes early"),
                                     HasSubstr("is damaged"))))
          << "seed " << seed;
    }
  }
  // 64 requests at 2% each: about one run in four succeeds.
  EXPECT_GT(right, 30);
  EXPECT_GT(refused, 100);
}

TEST_P(Faults, TheSameSeedFailsInTheSameWay) {
  const std::string faults = plan("rate:0.1,seed:7");
  const std::string first = read_all(blocks_, faults, 1);
  EXPECT_NE(first, "");
  EXPECT_EQ(read_all(blocks_, faults, 1), first);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::Values("uring", "threads", "mem"),
                         [](const auto& backend) { return std::string(backend.param); });

TEST(FaultPlan, WhatCannotBeUnderstoodIsNamed) {
  for (const char* item : {"eoi@3", "eio", "eio:3", "rate@1", "delay:", "delay:fast", "seed:-1",
                           "over:fault", "flip@0x"}) {
    try {
      make_backend("fault", {.fault_plan = fmt::format("delay:1,{}", item)});
      ADD_FAILURE() << item << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(fmt::format("'{}'", item)));
    }
  }
}

}  // namespace
}  // namespace outcore
