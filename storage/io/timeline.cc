// SPDX-License-Identifier: Apache-2.0
#include "storage/io/timeline.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "common/sizes.h"
#include "common/terminal.h"

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

Timeline::Timeline(std::string what, Watched watched, std::chrono::milliseconds interval)
    : what_(std::move(what)),
      watched_(std::move(watched)),
      interval_(interval),
      cpu_at_start_(cpu_seconds()) {
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
  sample();  // the final state, so that short runs have a sample too
  return std::move(samples_);
}

void Timeline::sample_until_told() {
  constexpr double kShowAfterSeconds = 2;
  const bool terminal = shows_progress() && !watched_.show;
  bool shown = false;
  std::unique_lock lock(mutex_);
  while (!told_.wait_for(lock, interval_, [this] { return finished_; })) {
    sample();
    tell_if_time();
    if (watched_.show) watched_.show(samples_.back());
    if (!terminal || watch_.seconds() < kShowAfterSeconds) continue;
    fmt::print(stderr, "\r\033[K{}", line());
    std::fflush(stderr);
    shown = true;
  }
  if (shown) fmt::print(stderr, "\r\033[K");
}

void Timeline::tell_if_time() {
  // All samples are passed on each time, which takes longer the longer the run is. Waiting a tenth
  // of the elapsed time in between keeps this at the same small share of a processor.
  constexpr double kLeastSeconds = 0.5;
  const double now = watch_.seconds();
  if (!watched_.tell || now < told_at_ + std::max(kLeastSeconds, told_at_ / 10)) return;
  watched_.tell(samples_);
  told_at_ = now;
}

std::string Timeline::line() const {
  const auto per_second = static_cast<std::size_t>(std::chrono::seconds(1) / interval_);
  const nlohmann::json& now = samples_.back();
  const nlohmann::json& before =
      samples_[samples_.size() - std::min(samples_.size(), 1 + per_second)];
  const auto bytes = [](const nlohmann::json& sample) {
    return sample.at("kernel_bytes").get<std::uint64_t>();
  };
  const double seconds = now.at("t").get<double>() - before.at("t").get<double>();
  const double rate = static_cast<double>(bytes(now) - bytes(before)) / std::max(seconds, 1e-3);
  std::string text = fmt::format("{}: {:.0f} s", what_, watch_.seconds());
  // Relaxed: only displayed.
  const std::uint64_t rounds =
      watched_.rounds == nullptr ? 0 : watched_.rounds->load(std::memory_order_relaxed);
  if (rounds > 0) text += fmt::format(", {} rounds", rounds);
  if (bytes(now) == 0) return text;
  return text + fmt::format(", {} read, {}/s", human_size(bytes(now)),
                            human_size(static_cast<std::uint64_t>(rate)));
}

void Timeline::sample() {
  const KernelCounters::Reading kernel = kernel_.since_start();
  samples_.push_back({{"t", watch_.seconds()},
                      {"kernel_bytes", kernel.read_bytes},
                      {"kernel_written_bytes", kernel.written_bytes},
                      {"major_faults", kernel.major_faults},
                      {"cpu_s", cpu_seconds() - cpu_at_start_}});
  // Relaxed, and a channel updates these only when it is used: they are samples, not an account.
  if (watched_.requests == nullptr) return;
  samples_.back()["requests"] = watched_.requests->asked.load(std::memory_order_relaxed);
  samples_.back()["writes"] = watched_.requests->writes.load(std::memory_order_relaxed);
  samples_.back()["in_flight"] =
      std::max<std::int64_t>(0, watched_.requests->in_flight.load(std::memory_order_relaxed));
}

}  // namespace outcore
