// SPDX-License-Identifier: Apache-2.0
// Feeds a store, at no more than so many updates a second, and makes snapshots as it goes. What the
// store does is timed apart from reading and waiting.
//
// Threads: one feeds; any may ask for the account.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "common/stopwatch.h"
#include "storage/evolving/stream.h"

namespace outcore {

class TimedFeed : public evolving::UpdateSink {
 public:
  struct Wishes {
    std::uint64_t rate = 0;            // updates a second at most; 0: any
    std::uint64_t snapshot_every = 0;  // updates; 0: no snapshots
    std::uint64_t skip = 0;            // so many updates are there already, and are left out
  };
  struct Account {
    double store_seconds = 0;
    std::uint64_t taken = 0;
    std::uint64_t removals = 0;
    std::uint64_t skipped = 0;  // fewer than were to be left out if the stream was shorter
    std::uint64_t snapshots = 0;
    double longest_snapshot_seconds = 0;  // for which the store stood still
  };

  // `snapshot` makes one. The last one is kept, as a reader would.
  TimedFeed(evolving::UpdateSink& store, const Wishes& wishes,
            std::function<std::shared_ptr<const void>()> snapshot = nullptr)
      : store_(store), wishes_(wishes), snapshot_(std::move(snapshot)), skip_(wishes.skip) {}

  std::span<evolving::LogEdge> room(std::uint64_t most) override;
  void append(std::uint64_t count) override;
  [[nodiscard]] Account account() const {
    const std::lock_guard lock(mutex_);
    return account_;
  }
  // Updates that the store was given. For the thread that feeds.
  [[nodiscard]] std::uint64_t taken() const { return account_.taken; }

 private:
  void take_snapshot(Account& account);

  evolving::UpdateSink& store_;
  Wishes wishes_;
  std::function<std::shared_ptr<const void>()> snapshot_;
  std::uint64_t skip_;  // updates that are still to be left out
  Stopwatch watch_;
  mutable std::mutex mutex_;  // held while account_ is written, and read by others
  Account account_;
  std::shared_ptr<const void> last_;
  std::span<evolving::LogEdge> room_;
};

}  // namespace outcore
