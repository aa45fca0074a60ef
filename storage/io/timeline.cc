// SPDX-License-Identifier: Apache-2.0
#include "storage/io/timeline.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/sizes.h"

namespace outcore {

namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Timeline::Timeline(std::string what, std::chrono::milliseconds interval)
    : what_(std::move(what)), interval_(interval), cpu_at_start_(cpu_seconds()) {
  thread_ = std::thread([this] { sample_until_told(); });
}

Timeline::~Timeline() {
  if (thread_.joinable()) finish();
}

nlohmann::json Timeline::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  told_.notify_all();
  thread_.join();
  sample();  // the state at the end, so that short runs have one too
  return std::move(samples_);
}

void Timeline::sample_until_told() {
  constexpr double kShowAfterSeconds = 2;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  bool shown = false;
  std::unique_lock lock(mutex_);
  while (!told_.wait_for(lock, interval_, [this] { return finished_; })) {
    sample();
    if (!terminal || watch_.seconds() < kShowAfterSeconds) continue;
    fmt::print(stderr, "\r{}: {:.0f} s, {} read \033[K", what_, watch_.seconds(),
               human_size(kernel_.since_start().read_bytes));
    shown = true;
  }
  if (shown) fmt::print(stderr, "\r\033[K");
}

void Timeline::sample() {
  samples_.push_back({{"t", watch_.seconds()},
                      {"kernel_bytes", kernel_.since_start().read_bytes},
                      {"cpu_s", cpu_seconds() - cpu_at_start_}});
}

}  // namespace outcore
