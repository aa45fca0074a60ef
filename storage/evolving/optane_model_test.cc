// SPDX-License-Identifier: Apache-2.0
// Each number is exact: it follows from the sizes of the levels.
#include "storage/evolving/optane_model.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore::evolving {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

OptaneParameters one_dimm(std::uint64_t cache_bytes) {
  return {.cache_bytes = cache_bytes, .dimms = 1};
}

TEST(OptaneModel, StoresInOrderNeedNoReads) {
  for (const std::uint64_t step : {64, 256, 4096, 1 << 20}) {
    OptaneModel model(one_dimm(64 << 10));
    for (std::uint64_t at = 0; at < kMiB; at += step) model.wrote(at, step);
    model.drain();
    EXPECT_EQ(model.counters().bus_writes, 16'384U);
    EXPECT_EQ(model.counters().bus_written_bytes(), kMiB);
    EXPECT_EQ(model.counters().bus_reads, 0U);
    EXPECT_EQ(model.counters().medium_writes, 4'096U);
    EXPECT_EQ(model.counters().medium_written_bytes(), kMiB);
    EXPECT_EQ(model.counters().medium_reads, 0U);
  }
}

TEST(OptaneModel, SmallStoresInOrderReadEachLineForOwnership) {
  OptaneModel model(one_dimm(64 << 10));
  for (std::uint64_t at = 0; at < kMiB; at += 8) model.wrote(at, 8);
  model.drain();
  EXPECT_EQ(model.counters().bus_reads, 16'384U);
  EXPECT_EQ(model.counters().bus_writes, 16'384U);
  EXPECT_EQ(model.counters().medium_reads, 4'096U);
  EXPECT_EQ(model.counters().medium_writes, 4'096U);
}

// Four bytes into each of 2^20 lines of the medium, in an order in which neighbours are far apart.
OptaneCounters scattered(std::uint64_t cache_bytes) {
  constexpr std::uint64_t kLines = std::uint64_t{1} << 20;
  OptaneModel model(one_dimm(cache_bytes));
  for (std::uint64_t i = 0; i < kLines; ++i) {
    model.wrote(i * 0x9e375 % kLines * OptaneModel::kXPLine + 4 * (i % 64), 4);
  }
  model.drain();
  return model.counters();
}

TEST(OptaneModel, AScatteredWordMovesALineEachWayOnBusAndMedium) {
  const OptaneCounters counters = scattered(1024);  // one set: lines go back while they are known
  EXPECT_EQ(counters.bus_reads, 1U << 20);
  EXPECT_EQ(counters.bus_writes, 1U << 20);
  EXPECT_EQ(counters.medium_reads, 1U << 20);
  EXPECT_EQ(counters.medium_writes, 1U << 20);
}

TEST(OptaneModel, ALineThatTheCacheKeptLongIsReadFromTheMediumTwice) {
  const OptaneCounters counters = scattered(kMiB);
  EXPECT_EQ(counters.bus_reads, 1U << 20);
  EXPECT_EQ(counters.bus_writes, 1U << 20);
  EXPECT_EQ(counters.medium_reads, 2U << 20);
  EXPECT_EQ(counters.medium_writes, 1U << 20);
}

TEST(OptaneModel, TheBusDoesNotDependOnTheCachesSize) {
  for (const std::uint64_t cache_bytes : {1 << 10, 100 << 10, 256 << 10, 1 << 20}) {
    const OptaneCounters counters = scattered(cache_bytes);
    EXPECT_EQ(counters.bus_reads, 1U << 20);
    EXPECT_EQ(counters.bus_writes, 1U << 20);
  }
}

// The first halves of N lines and then the second halves, each written back at once.
OptaneCounters halves(std::uint64_t lines, unsigned dimms = 1) {
  OptaneModel model({.cache_bytes = kMiB, .dimms = dimms});
  for (const std::uint64_t half : {0, 128}) {
    for (std::uint64_t line = 0; line < lines; ++line) {
      model.wrote(line * OptaneModel::kXPLine + half, 128);
      model.flush(line * OptaneModel::kXPLine + half, 128);
    }
  }
  model.drain();
  return model.counters();
}

TEST(OptaneModel, TheBufferMergesHalvesOfAsManyLinesAsItHas) {
  for (const std::uint64_t lines : {1, 63, 64}) {
    EXPECT_EQ(halves(lines).medium_writes, lines);
    EXPECT_EQ(halves(lines).medium_reads, 0U);
  }
  for (const std::uint64_t lines : {65, 128, 1000}) {
    EXPECT_EQ(halves(lines).medium_writes, 2 * lines);
    EXPECT_EQ(halves(lines).medium_reads, 2 * lines);  // each half is merged into what is there
    EXPECT_EQ(halves(lines).bus_writes, 4 * lines);
  }
}

TEST(OptaneModel, EachDimmHasItsBuffer) {
  EXPECT_EQ(halves(512, 8).medium_writes, 512U);
  // The 513th line is the first DIMM's 65th.
  EXPECT_EQ(halves(513, 8).medium_writes, 513U + 65);
}

TEST(OptaneModel, ABlockAcrossTwoLinesIsTwo) {
  for (const bool aligned : {true, false}) {
    OptaneModel model(one_dimm(kMiB));
    model.wrote(aligned ? 0 : 128, OptaneModel::kXPLine);
    model.drain();
    EXPECT_EQ(model.counters().bus_writes, 4U);
    EXPECT_EQ(model.counters().medium_writes, aligned ? 1U : 2U);
    EXPECT_EQ(model.counters().medium_reads, aligned ? 0U : 2U);
  }
}

TEST(OptaneModel, TheSameWordAThousandTimesIsOneLine) {
  OptaneModel model(one_dimm(kMiB));
  for (int i = 0; i < 1000; ++i) model.wrote(4096, 4);
  model.drain();
  EXPECT_EQ(model.counters().cache_lines, 1000U);
  EXPECT_EQ(model.counters().cache_misses, 1U);
  EXPECT_EQ(model.counters().bus_reads, 1U);
  EXPECT_EQ(model.counters().bus_writes, 1U);
  EXPECT_EQ(model.counters().medium_reads, 1U);
  EXPECT_EQ(model.counters().medium_writes, 1U);
}

TEST(OptaneModel, ReadsOfWhatTheBufferHasCostTheMediumNothing) {
  OptaneModel model(one_dimm(1024));
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) model.read(quarter * 64, 64);
  EXPECT_EQ(model.counters().bus_reads, 4U);
  EXPECT_EQ(model.counters().medium_reads, 1U);
  model.read(0, 256);
  EXPECT_EQ(model.counters().bus_reads, 4U);  // the cache has them
  model.drain();
  EXPECT_EQ(model.counters().bus_writes, 0U);
  EXPECT_EQ(model.counters().medium_writes, 0U);
}

TEST(OptaneModel, AFlushedLineIsWrittenOnceAndStaysInTheCache) {
  OptaneModel model(one_dimm(kMiB));
  model.wrote(0, 256);
  model.flush(0, 256);
  EXPECT_EQ(model.counters().bus_writes, 4U);
  model.flush(0, 256);
  model.read(0, 256);
  model.drain();
  EXPECT_EQ(model.counters().bus_writes, 4U);
  EXPECT_EQ(model.counters().bus_reads, 0U);
  EXPECT_EQ(model.counters().medium_writes, 1U);
}

TEST(OptaneModel, RefusesDimmsWithoutLines) {
  EXPECT_THROW(OptaneModel({.dimms = 0}), Error);
  EXPECT_THROW(OptaneModel({.buffer_lines = 0}), Error);
}

}  // namespace
}  // namespace outcore::evolving
