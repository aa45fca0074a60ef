// SPDX-License-Identifier: Apache-2.0
// Which snapshots of a store are alive, by number. A phase asks once, at its beginning: what the
// newest of them may read is copied before it is changed, and what was retired before the oldest of
// them was made is freed.
//
// Memory order: the mutex alone. A snapshot that is removed here has been read for the last time
// before; a phase that no longer finds it here has locked the mutex after that, so nothing that the
// phase frees or overwrites is still being read.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <set>

namespace outcore::evolving {

// Snapshots are numbered from 1.
struct SnapshotsAlive {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t newest = 0;
  [[nodiscard]] bool any() const { return newest != 0; }
};

class LiveSnapshots {
 public:
  std::uint64_t add() {
    const std::lock_guard lock(mutex_);
    numbers_.insert(++last_);
    return last_;
  }
  void remove(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    numbers_.erase(number);
  }
  [[nodiscard]] SnapshotsAlive alive() const {
    const std::lock_guard lock(mutex_);
    if (numbers_.empty()) return {};
    return {*numbers_.begin(), *numbers_.rbegin()};
  }
  // The number of the last snapshot that was made.
  [[nodiscard]] std::uint64_t last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::uint64_t> numbers_;
  std::uint64_t last_ = 0;
};

}  // namespace outcore::evolving
