// SPDX-License-Identifier: Apache-2.0
#include "storage/io/timeline.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <ctime>
#include <thread>

#include "storage/io/backend.h"
#include "storage/io/kernel_counters.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Timeline, HasTheStateAtTheEndHoweverShortTheRun) {
  const nlohmann::json samples = Timeline("a run", {}, hours(1)).finish();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_GE(samples[0].at("t"), 0.0);
  EXPECT_GE(samples[0].at("cpu_s"), 0.0);
  EXPECT_TRUE(samples[0].at("kernel_bytes").is_number_unsigned());
}

TEST(Timeline, ShowsEachSampleToWhoeverDrawsIt) {
  std::atomic<int> shown{0};
  Timeline timeline("a run",
                    {.show =
                         [&](const nlohmann::json& sample) {
                           EXPECT_TRUE(sample.contains("kernel_bytes"));
                           ++shown;
                         }},
                    milliseconds(1));
  while (shown < 3) std::this_thread::yield();
  EXPECT_GE(timeline.finish().size(), 4U);  // and the last, which nobody draws
}

TEST(Timeline, NeverRunsBackwards) {
  Timeline timeline("a run", {}, milliseconds(1));
  double work = 1;
  for (int i = 0; i < 5'000'000; ++i) work = work * 1.0000001 + 1;
  EXPECT_GT(work, 1);
  const nlohmann::json samples = timeline.finish();
  for (std::size_t i = 1; i < samples.size(); ++i) {
    for (const char* column :
         {"t", "kernel_bytes", "kernel_written_bytes", "major_faults", "cpu_s"}) {
      EXPECT_GE(samples[i].at(column), samples[i - 1].at(column)) << column << " at " << i;
    }
  }
  EXPECT_GT(samples.back().at("cpu_s"), 0.0);
}

// The kernel's account of this process; direct, or the page cache would have it already.
TEST(Timeline, CountsTheBytesThatTheKernelRead) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  const PatternedFile file(kBytes);
  if (!KernelCounters().since_start().available) GTEST_SKIP() << "the kernel does not say";
  Timeline timeline("a run", {}, hours(1));
  const auto backend = make_backend("threads", {.depth = 1});
  backend->add_file(file.path());
  AlignedBuffer buffer(kBytes);
  const auto channel = backend->open_channel(buffer.all());
  std::array<Completion, 1> done;
  channel->submit({0, kBytes, 0, buffer.at(0), 1});
  channel->reap(done, 1);
  const std::uint64_t read = timeline.finish().back().at("kernel_bytes");
  if (!backend->notes().empty()) GTEST_SKIP() << backend->notes().front();
  EXPECT_GE(read, kBytes);
  EXPECT_LT(read, kBytes + kBytes / 2);
}

// By the same clock that the test reads, which may be a tick of the kernel behind.
TEST(Timeline, CountsTheProcessorTimeOfTheRun) {
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  };
  const double before = used();
  Timeline timeline("a run", {}, hours(1));
  const double begun = used();
  while (used() < begun + 0.2) continue;
  const double worked = used() - begun;
  const double counted = timeline.finish().back().at("cpu_s");
  EXPECT_GE(counted, 0.8 * worked);
  EXPECT_LE(counted, 1.2 * (used() - before));
}

TEST(Timeline, EndsItsThreadWhenARunIsAbandoned) {
  for (int i = 0; i < 10; ++i) const Timeline timeline("a run", {}, hours(1));
}

TEST(Timeline, TellsOfRequestsWhereSomebodyCounts) {
  const RequestGauge gauge = {.in_flight = 7, .asked = 9, .writes = 4};
  const nlohmann::json last = Timeline("a run", {.requests = &gauge}, hours(1)).finish().back();
  EXPECT_EQ(last.at("in_flight"), 7);
  EXPECT_EQ(last.at("requests"), 9);
  EXPECT_EQ(last.at("writes"), 4);
  EXPECT_FALSE(Timeline("a run", {}, hours(1)).finish().back().contains("in_flight"));
}

TEST(Timeline, TellsWhatItHasWhileTheRunGoesOn) {
  std::atomic<std::size_t> told{0};
  const auto tell = [&](const nlohmann::json& samples) { told = samples.size(); };
  Timeline timeline("a run", {.tell = tell}, milliseconds(10));
  for (int i = 0; i < 1000 && told == 0; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_GT(told, 0U);
}

}  // namespace
}  // namespace outcore
