// SPDX-License-Identifier: Apache-2.0
#include "storage/io/request_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

Request four_pages() { return {.file = 0, .bytes = 16384, .offset = 8192}; }

Request written_pages() {
  Request request = four_pages();
  request.op = Op::write;
  return request;
}

std::string failure(RequestProgress progress, const std::vector<std::int64_t>& results) {
  try {
    for (const std::int64_t result : results) progress.take(result, "blocks");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    return error.what();
  }
  return {};
}

TEST(RequestProgress, AFullReadIsComplete) {
  EXPECT_TRUE(RequestProgress(four_pages()).take(16384, "blocks"));
}

TEST(RequestProgress, AShortReadIsContinuedWhereItStopped) {
  RequestProgress progress(four_pages());
  EXPECT_FALSE(progress.take(4096, "blocks"));
  EXPECT_EQ(progress.offset(), 12288U);
  EXPECT_EQ(progress.bytes(), 12288U);
  EXPECT_TRUE(progress.take(12288, "blocks"));
}

TEST(RequestProgress, ContinuesFromAnAlignedOffsetAfterAnOddNumberOfBytes) {
  RequestProgress progress(four_pages());
  EXPECT_FALSE(progress.take(5000, "blocks"));
  EXPECT_EQ(progress.offset(), 12288U);
  EXPECT_FALSE(progress.take(5000, "blocks")) << "more came than before, so it goes on";
  EXPECT_EQ(progress.offset(), 16384U);
  EXPECT_TRUE(progress.take(8192, "blocks"));
}

TEST(RequestProgress, InterruptedReadsAreRepeated) {
  RequestProgress progress(four_pages());
  EXPECT_FALSE(progress.take(-EINTR, "blocks"));
  EXPECT_FALSE(progress.take(-EAGAIN, "blocks"));
  EXPECT_EQ(progress.offset(), 8192U);
  EXPECT_TRUE(progress.take(16384, "blocks"));
}

TEST(RequestProgress, TheEndOfTheFileIsAnErrorThatSaysWhereAndHowMuchIsMissing) {
  EXPECT_THAT(failure(RequestProgress(four_pages()), {0}),
              HasSubstr("blocks at offset 8192: the file ends 16384 bytes early"));
  EXPECT_THAT(failure(RequestProgress(four_pages()), {4096, 0}),
              HasSubstr("blocks at offset 12288: the file ends 12288 bytes early"));
  EXPECT_THAT(failure(RequestProgress(four_pages()), {5000, 904}),
              HasSubstr("blocks at offset 13192: the file ends 11384 bytes early"));
}

TEST(RequestProgress, AShortWriteIsContinuedFromAnAlignedOffset) {
  RequestProgress progress(written_pages());
  EXPECT_FALSE(progress.take(5000, "blocks"));
  EXPECT_EQ(progress.offset(), 12288U);
  EXPECT_EQ(progress.bytes(), 12288U);
  EXPECT_TRUE(progress.take(12288, "blocks"));
}

TEST(RequestProgress, AWriteThatGetsNoFurtherSaysWhereItStopped) {
  EXPECT_THAT(failure(RequestProgress(written_pages()), {8192, 0}),
              HasSubstr("blocks at offset 16384: a write stops 8192 bytes early"));
  EXPECT_THAT(failure(RequestProgress(written_pages()), {8192, -ENOSPC}),
              HasSubstr("blocks at offset 16384: write of 8192 bytes failed: No space left"));
}

TEST(RequestProgress, ASyncIsCompleteWhenItIsAnswered) {
  EXPECT_TRUE(RequestProgress({.op = Op::sync}).take(0, "blocks"));
  EXPECT_FALSE(RequestProgress({.op = Op::sync}).take(-EINTR, "blocks"));
  EXPECT_THAT(failure(RequestProgress({.op = Op::sync}), {-EIO}),
              HasSubstr("blocks: fdatasync failed: what was written may be lost: Input/output"));
}

TEST(RequestProgress, AFailedReadCarriesErrno) {
  EXPECT_THAT(failure(RequestProgress(four_pages()), {4096, -EIO}),
              HasSubstr("blocks at offset 12288: read of 12288 bytes failed: Input/output error "
                        "(errno 5)"));
}

}  // namespace
}  // namespace outcore
