// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/probe.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "common/error.h"
#include "common/files.h"
#include "common/toml.h"
#include "storage/io/probe/rate_meter.h"
#include "storage/io/probe/scratch_file.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// An empty folder on the disk of the build folder.
class Probe : public testing::Test {
 protected:
  Probe() : folder_(fs::path(testing::TempDir()) / fmt::format("probe-{}", ::getpid())) {
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void SetUp() override {
    try {
      const ScratchFile file(folder_);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  fs::path folder_;
};

TEST_F(Probe, ScratchFilesHaveNoName) {
  ScratchFile file(folder_);
  EXPECT_EQ(file.fill(2 << 20, 60).bytes, 2U << 20);
  EXPECT_TRUE(fs::is_empty(folder_)) << "nothing is left behind, however the process ends";
  EXPECT_EQ(File::open_read(file.path(), true).size(), 2U << 20) << "and yet it can be opened";
}

TEST_F(Probe, NoTwoBlocksAreAlikeAndNoneIsAHole) {
  ScratchFile file(folder_);
  file.fill(8 << 20, 60);
  file.sync_one(3);
  const File read = File::open_read(file.path());
  std::set<std::string> seen;
  std::string block(4096, '\0');
  for (std::uint64_t offset = 0; offset < file.bytes(); offset += block.size()) {
    read.read(std::as_writable_bytes(std::span(block)), offset);
    EXPECT_GT(std::set<char>(block.begin(), block.end()).size(), 200U) << "random at " << offset;
    seen.insert(block);
  }
  EXPECT_EQ(seen.size(), (8U << 20) / 4096);
}

TEST_F(Probe, WhatIsNotWrittenInTimeIsLeftOut) {
  ScratchFile file(folder_);
  EXPECT_EQ(file.fill(8 << 20, 0).bytes, 0U);
  EXPECT_EQ(file.bytes(), 0U);
}

TEST_F(Probe, AMeterFillsInItsCell) {
  ScratchFile file(folder_);
  file.fill(4 << 20, 60);
  RateMeter meter(file);
  for (const bool random : {true, false}) {
    ReadRate cell = {.random = random, .bytes = 16384, .concurrency = 4};
    meter.measure(cell, 0.05);
    EXPECT_GT(cell.mb_per_s, 0);
    EXPECT_GT(cell.p50_us, 0);
    EXPECT_GE(cell.p99_us, cell.p50_us);
  }
}

TEST_F(Probe, AMeterWritesToo) {
  ScratchFile file(folder_);
  file.fill(4 << 20, 60);
  const File read = File::open_read(file.path());
  std::string before(file.bytes(), '\0');
  read.read(std::as_writable_bytes(std::span(before)), 0);
  RateMeter meter(file);
  ReadRate cell = {.random = false, .bytes = 65536, .concurrency = 4};
  meter.measure_writes(cell, 0.05);
  EXPECT_GT(cell.mb_per_s, 0);
  EXPECT_GE(cell.p99_us, cell.p50_us);
  std::string after(file.bytes(), '\0');
  read.read(std::as_writable_bytes(std::span(after)), 0);
  EXPECT_NE(before, after);
  EXPECT_GT(file.commit_one(2, 65536), 0);
  std::string piece(65536, '\0');
  read.read(std::as_writable_bytes(std::span(piece)), 2 * 65536);
  EXPECT_NE(piece, after.substr(2 * 65536, 65536));
}

TEST(ProbeRefuses, FoldersWithoutADevice) {
  const auto refusal = [](const fs::path& folder) {
    try {
      const ScratchFile file(folder);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("/nowhere"), HasSubstr("/nowhere is no folder"));
  EXPECT_THAT(refusal("/proc"), HasSubstr("/proc lies on proc, which is on no device"));
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no tmpfs here";
  EXPECT_THAT(refusal("/dev/shm"), HasSubstr("/dev/shm lies on tmpfs"));
}

TEST(ProbeRefuses, TooLittleRoom) {
  EXPECT_THROW(scratch_bytes("/", 1 << 20, std::uint64_t{1} << 60), Error);
  EXPECT_EQ(scratch_bytes("/", (1 << 20) + 5, 0), 1U << 20) << "whole MiB";
}

TEST(ProbedDevice, TellsWhereAFileIsNoProbes) {
  const fs::path path = fs::path(testing::TempDir()) / fmt::format("probed-{}", ::getpid());
  write_text_atomically(path, "name = \"local\"\n");
  EXPECT_THROW(ProbedDevice::read(read_toml(path), path), Error);
  write_text_atomically(path, to_toml({{"probe", {{"source", "/dev/x"}}},
                                       {"read", {{"k_r", 48}, {"t_rr_mb_per_s", 530}}},
                                       {"write", {{"t_sw_mb_per_s", 450}}},
                                       {"cost", {{"busy", {{"request_us", 5.5}, {"kb_us", 0.5}}}}},
                                       {"rates",
                                        {{{"pattern", "sequential"},
                                          {"bytes", 4096},
                                          {"concurrency", 2},
                                          {"mb_per_s", 3.5},
                                          {"p50_us", 4},
                                          {"p99_us", 5.5}}}}}));
  const ProbedDevice device = ProbedDevice::read(read_toml(path), path);
  EXPECT_EQ(device.source, "/dev/x");
  EXPECT_EQ(device.k_r, 48U);
  EXPECT_EQ(device.busy, (RequestCost{.us = 5.5, .us_per_kb = 0.5}));
  ASSERT_EQ(device.rates.size(), 1U);
  EXPECT_FALSE(device.rates[0].random);
  EXPECT_EQ(device.rates[0].p99_us, 5.5);
  EXPECT_EQ(device.random_mb_per_s, 530);
  EXPECT_EQ(device.write_mb_per_s, 450);
  EXPECT_EQ(device.sequential_mb_per_s, 0) << "the file says nothing of it";
  EXPECT_EQ(device.sustained, 1) << "a file of before that was measured";
  EXPECT_TRUE(device.costs_at(64).empty()) << "nothing is known of random reads";
  EXPECT_TRUE(device.write_costs_at(64).empty()) << "nor of writes by size";
  fs::remove(path);
}

// For each size, at the given concurrency or the nearest measured one below.
TEST(ProbedDevice, TellsWhatRequestsCostAtAConcurrency) {
  ProbedDevice device;
  const auto add = [&](std::uint32_t bytes, unsigned concurrency, double mb_per_s) {
    device.rates.push_back(
        {.random = true, .bytes = bytes, .concurrency = concurrency, .mb_per_s = mb_per_s});
  };
  add(16384, 1, 100);
  add(4096, 64, 512);
  add(4096, 4, 128);
  add(16384, 64, 1024);
  device.rates.push_back({.random = false, .bytes = 4096, .concurrency = 64, .mb_per_s = 4096});
  const auto us = [&](unsigned concurrency) {
    std::vector<std::pair<std::uint64_t, double>> found;
    for (const CostPoint& cost : device.costs_at(concurrency)) {
      found.emplace_back(cost.bytes, cost.us);
    }
    return found;
  };
  using Costs = std::vector<std::pair<std::uint64_t, double>>;
  device.writes = {{.random = false, .bytes = 4096, .concurrency = 4, .mb_per_s = 409.6}};
  ASSERT_EQ(device.write_costs_at(16).size(), 1U);
  EXPECT_DOUBLE_EQ(device.write_costs_at(16).front().us, 10);
  EXPECT_TRUE(device.write_costs_at(1).empty());
  EXPECT_EQ(us(256), (Costs{{4096, 8}, {16384, 16}}));
  EXPECT_EQ(us(63), (Costs{{4096, 32}, {16384, 163.84}}));
  EXPECT_EQ(us(1), (Costs{{16384, 163.84}}));
}

}  // namespace
}  // namespace outcore
