// SPDX-License-Identifier: Apache-2.0
// Writes and syncs that go wrong as planned: each stops with file and offset, or a checksum finds
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/io/fault_plan.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::uint32_t kTornBlock = 4096;
constexpr std::uint64_t kTornBlocks = 32;
constexpr std::byte kNew{0x5A};

class WriteFaults : public testing::TestWithParam<const char*> {
 protected:
  static std::string plan(const std::string& items) {
    return fmt::format("over:{},{}", GetParam(), items);
  }
  BlockFile writable() const {
    BlockFile blocks = file_.block_file(kTornBlock);
    blocks.writable = true;
    return blocks;
  }
  std::string at(BlockId block) const {
    return fmt::format("{} at offset {}", file_.path().string(), block * kTornBlock);
  }
  // How many blocks from `first` on have been written.
  std::uint64_t written_from(BlockId first) const {
    std::vector<std::byte> block(kTornBlock);
    const File file = File::open_read(file_.path());
    for (BlockId b = first; b < kTornBlocks; ++b) {
      file.read(block, b * kTornBlock);
      if (block.front() != kNew || block.back() != kNew) return b - first;
    }
    return kTornBlocks - first;
  }

  // Writes every block once, in runs of four, syncs, and reads everything back. Returns the Error's
  // text, empty if all went well. Request N is the write of run N; kSync is the sync; the reads
  // follow.
  static constexpr BlockId kRun = 4;
  static constexpr std::uint64_t kSync = kTornBlocks / kRun;
  std::string write_and_read(const std::string& items, unsigned depth) const {
    AlignedBuffer buffer(kTornBlocks * kTornBlock);
    std::fill(buffer.all().begin(), buffer.all().end(), kNew);
    try {
      Door door({writable()}, "fault", {.depth = depth, .fault_plan = plan(items)});
      DoorChannel channel(door, buffer.all());
      const auto all = [&](const auto& submit) {
        std::vector<std::uint64_t> tags(depth);
        for (BlockId first = 0; first < kTornBlocks; first += kRun) {
          while (!submit(first)) channel.reap(tags, 1);
        }
        while (channel.in_flight() > 0) channel.reap(tags, 1);
      };
      all([&](BlockId first) {
        return channel.write(0, first, kRun, buffer.at(first * kTornBlock), first);
      });
      EXPECT_EQ(std::count(buffer.all().begin(), buffer.all().end(), kNew), buffer.all().size())
          << "what is written is not changed";
      std::array<std::uint64_t, 1> tag{};
      channel.sync(0, 0);
      channel.reap(tag, 1);
      all([&](BlockId first) {
        return channel.read(0, first, kRun, buffer.at(first * kTornBlock), first);
      });
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      return error.what();
    }
    EXPECT_EQ(std::count(buffer.all().begin(), buffer.all().end(), kNew), buffer.all().size());
    EXPECT_EQ(written_from(0), kTornBlocks);
    return {};
  }
  PatternedFile file_{kTornBlocks * kTornBlock};
};

TEST_P(WriteFaults, AnErrorStopsWithFileOffsetAndErrnoAndWritesNothing) {
  EXPECT_THAT(write_and_read("eio@5", 4),
              AllOf(HasSubstr(at(5 * kRun)), HasSubstr("write of 16384 bytes failed: "
                                                       "Input/output error (errno 5)")));
  EXPECT_EQ(written_from(5 * kRun), 0U);
}

TEST_P(WriteFaults, AFullDeviceStopsWithFileOffsetAndErrnoAndWritesNothing) {
  EXPECT_THAT(write_and_read("enospc@6", 4),
              AllOf(HasSubstr(at(6 * kRun)), HasSubstr("No space left on device (errno 28)")));
  EXPECT_EQ(written_from(6 * kRun), 0U);
}

TEST_P(WriteFaults, AShortWriteStopsWhereItEndsAndTheRestIsThere) {
  EXPECT_THAT(write_and_read("short@2", 1),
              AllOf(HasSubstr(at(3 * kRun - 1)), HasSubstr("write of 4096 bytes failed: No space "
                                                           "left on device (errno 28)")));
  EXPECT_EQ(written_from(2 * kRun), kRun - 1);
}

TEST_P(WriteFaults, AFailedSyncStopsWithTheFile) {
  EXPECT_THAT(write_and_read(fmt::format("eio@{}", kSync), 4),
              HasSubstr(file_.path().string() +
                        ": fdatasync failed: what was written may be lost: Input/output error "
                        "(errno 5)"));
}

// A torn write is answered as if it were complete.
TEST_P(WriteFaults, ATornWriteIsFoundByTheSumOfWhatIsMissing) {
  const std::string found = write_and_read("torn@3", 4);
  const std::uint64_t there = written_from(3 * kRun);
  EXPECT_LT(there, kRun);
  EXPECT_THAT(found, HasSubstr(fmt::format("{}: block {} is damaged", at(3 * kRun + there),
                                           3 * kRun + there)));
}

TEST_P(WriteFaults, ABitThatIsFlippedOnTheWayIsFoundByItsSum) {
  EXPECT_THAT(write_and_read("flip@0", 4),
              AllOf(HasSubstr(file_.path().string()), HasSubstr("is damaged")));
}

TEST_P(WriteFaults, WhatARequestCannotHaveLeavesItAlone) {
  EXPECT_EQ(write_and_read(fmt::format("short@{0},enospc@{1},torn@{1}", kSync, kSync + 1), 4), "");
}

TEST_P(WriteFaults, ACampaignGivesTheRightBytesOrAnErrorThatNamesTheFile) {
  int right = 0;
  for (int seed = 0; seed < 200; ++seed) {
    const std::string error = write_and_read(fmt::format("rate:0.05,jitter:0.02,seed:{}", seed),
                                             static_cast<unsigned>(1 + seed % 5));
    if (error.empty()) ++right;
    EXPECT_THAT(error, AnyOf(testing::IsEmpty(), HasSubstr(file_.path().string() + " at offset "),
                             HasSubstr(file_.path().string() + ": fdatasync failed")))
        << "seed " << seed;
  }
  // 17 requests at 5% each: about two runs in five succeed.
  EXPECT_GT(right, 40);
  EXPECT_LT(right, 160);
}

INSTANTIATE_TEST_SUITE_P(All, WriteFaults, testing::Values("uring", "threads", "mem"),
                         [](const auto& backend) { return std::string(backend.param); });

TEST(FaultPlan, DrawsFromWhatARequestOfItsKindCanHave) {
  const FaultPlan plan = FaultPlan::parse("rate:1,seed:3");
  std::map<Op, std::set<Fault>> drawn;
  for (const Op op : {Op::read, Op::write, Op::sync}) {
    for (std::uint64_t request = 0; request < 200; ++request)
      drawn[op].insert(plan.of(request, op));
  }
  using enum Fault;
  EXPECT_THAT(drawn[Op::read], testing::ElementsAre(eio, short_end, flip));
  EXPECT_THAT(drawn[Op::write], testing::ElementsAre(eio, short_end, flip, enospc, torn));
  EXPECT_THAT(drawn[Op::sync], testing::ElementsAre(eio));
}

}  // namespace
}  // namespace outcore
