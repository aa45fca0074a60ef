// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/group_commit.h"

#include <algorithm>
#include <utility>

namespace outcore::evolving {

GroupCommit::GroupCommit(DurableStore& store, Limits limits, Told told)
    : store_(store),
      limits_(limits),
      most_(limits.pages * store.updates_of_page()),
      told_(std::move(told)),
      committer_([this] { commit_groups(); }) {}

GroupCommit::~GroupCommit() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

std::size_t GroupCommit::append(std::span<const Update> updates) {
  std::size_t taken = 0;
  std::unique_lock lock(mutex_);
  while (taken < updates.size()) {
    throw_failure();
    if (is_full()) {
      changed_.wait(lock);
      continue;
    }
    const std::size_t room = std::min(updates.size() - taken, most_ - waiting_);
    const std::size_t added = store_.append(updates.subspan(taken, room));
    if (waiting_ == 0) first_ = Clock::now();
    taken += added;
    waiting_ += added;
    // The group has all the pages that it may have, though not all of them are full; or the log is
    // full, and gets room only when what it holds is acknowledged.
    if (waiting_ > 0) cut_short_ = added < room;
    if (is_full()) changed_.notify_all();
    if (added < room && store_.log_full()) break;
  }
  changed_.notify_all();
  return taken;
}

void GroupCommit::finish() {
  std::unique_lock lock(mutex_);
  cut_short_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return failure_ != nullptr || (waiting_ == 0 && !writing_); });
  cut_short_ = false;
  throw_failure();
}

void GroupCommit::check() const {
  const std::lock_guard lock(mutex_);
  throw_failure();
}

LatencyHistogram GroupCommit::latency() const {
  const std::lock_guard lock(mutex_);
  return latency_;
}

void GroupCommit::throw_failure() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

bool GroupCommit::wait_for_group(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    if (ends_) return false;
    if (waiting_ == 0) {
      changed_.wait(lock);
    } else if (is_full() || Clock::now() - first_ >= limits_.longest) {
      return true;
    } else {
      changed_.wait_until(lock, first_ + limits_.longest);
    }
  }
}

void GroupCommit::commit_groups() {
  std::unique_lock lock(mutex_);
  while (wait_for_group(lock)) {
    LogGroup group = store_.close_group();
    const Clock::time_point first = first_;
    waiting_ = 0;
    cut_short_ = false;
    writing_ = true;
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr failure;
    try {
      const std::uint64_t last = store_.write_group(group);
      if (told_) told_(last);
    } catch (const Error&) {
      failure = std::current_exception();
    }
    lock.lock();
    writing_ = false;
    failure_ = failure;
    if (failure == nullptr) latency_.add(Clock::now() - first);
    changed_.notify_all();
    if (failure != nullptr) return;
  }
}

}  // namespace outcore::evolving
