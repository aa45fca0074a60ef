// SPDX-License-Identifier: Apache-2.0
#include "cli/timed_feed.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace outcore {

std::span<evolving::LogEdge> TimedFeed::room(std::uint64_t most) {
  const Stopwatch watch;
  // At a given rate updates come in portions of a hundredth of a second.
  if (wishes_.rate > 0) most = std::min(most, std::max<std::uint64_t>(1, wishes_.rate / 100));
  if (wishes_.snapshot_every > 0) {
    most = std::min(most, wishes_.snapshot_every - account_.taken % wishes_.snapshot_every);
  }
  room_ = store_.room(most);
  const std::lock_guard lock(mutex_);
  account_.store_seconds += watch.seconds();
  return room_;
}

void TimedFeed::append(std::uint64_t count) {
  const std::uint64_t left_out = std::min(count, skip_);
  if (left_out > 0) {
    skip_ -= left_out;
    count -= left_out;
    {
      const std::lock_guard lock(mutex_);
      account_.skipped += left_out;
    }
    std::copy_n(room_.begin() + static_cast<std::ptrdiff_t>(left_out), count, room_.begin());
    if (count == 0) return;
  }
  const Stopwatch watch;
  Account next = account_;
  next.removals += evolving::facts_of(room_.first(count)).removals;
  store_.append(count);
  next.taken += count;
  const std::uint64_t every = wishes_.snapshot_every;
  if (every > 0 && next.taken % every == 0 && count > 0) take_snapshot(next);
  next.store_seconds += watch.seconds();
  {
    const std::lock_guard lock(mutex_);
    account_ = next;
  }
  if (wishes_.rate == 0) return;
  const double due = static_cast<double>(account_.taken) / static_cast<double>(wishes_.rate);
  if (const double early = due - watch_.seconds(); early > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(early));
}

void TimedFeed::take_snapshot(Account& account) {
  const Stopwatch watch;
  std::shared_ptr<const void> next = snapshot_();
  account.longest_snapshot_seconds = std::max(account.longest_snapshot_seconds, watch.seconds());
  last_.swap(next);
  ++account.snapshots;
}

}  // namespace outcore
