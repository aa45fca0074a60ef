// SPDX-License-Identifier: Apache-2.0
// Group commit: a thread makes one group of updates durable while the next one fills. A group ends
// when it is full or when its first update has waited for `longest`, whichever is first, but not
// before the group ahead of it is durable.
//
// Threads: one appends and finishes; any may read acknowledged() of the store. Nobody else may
// append to the store or commit it meanwhile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

#include "storage/evolving/durable/durable_store.h"
#include "storage/io/latency_histogram.h"

namespace outcore::evolving {

class GroupCommit {
 public:
  struct Limits {
    std::uint64_t pages = LogGroup::kMostPages;  // of a group, 1 MB
    std::chrono::microseconds longest = std::chrono::milliseconds(10);
  };

  // Told by the committing thread, each time that more is acknowledged: the last number. What it
  // throws is a failure to commit.
  using Told = std::function<void(std::uint64_t)>;

  // REQUIRES: the store is opened to write, and outlives this.
  GroupCommit(DurableStore& store, Limits limits, Told told = nullptr);
  // What is not acknowledged yet may be lost; finish() first.
  ~GroupCommit();
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  // Returns how many were taken: fewer only if the log is full. Waits while the group is full and
  // the one before it is not durable. Throws what the committing thread met.
  std::size_t append(std::span<const Update> updates);
  // Returns when everything that was taken is acknowledged.
  void finish();
  // Throws what the committing thread met.
  void check() const;
  // From the first update of a group until the group was acknowledged.
  [[nodiscard]] LatencyHistogram latency() const;

 private:
  using Clock = std::chrono::steady_clock;
  void commit_groups();
  // Waits until a group is to be written; false when there will be none.
  bool wait_for_group(std::unique_lock<std::mutex>& lock);
  void throw_failure() const;
  [[nodiscard]] bool is_full() const { return waiting_ >= most_ || cut_short_; }

  DurableStore& store_;
  const Limits limits_;
  const std::uint64_t most_;  // updates of a group
  const Told told_;
  mutable std::mutex mutex_;  // for all that follows, and for append and close_group of the store
  std::condition_variable changed_;
  std::uint64_t waiting_ = 0;  // updates in the group that fills
  Clock::time_point first_;    // when the first of them came
  bool cut_short_ = false;     // do not wait for more
  bool writing_ = false;       // a group is under way
  bool ends_ = false;
  std::exception_ptr failure_;
  LatencyHistogram latency_;
  std::jthread committer_;
};

}  // namespace outcore::evolving
