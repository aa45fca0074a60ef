// SPDX-License-Identifier: Apache-2.0
// How many updates are acknowledged, for those who wait until enough of them are, and for those who
// read it from a descriptor. Any thread may call anything.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace outcore {

// Writes each number that it is told to a descriptor, a line each. Empty for a negative descriptor.
// Throws a usage Error for one that cannot be written.
std::function<void(std::uint64_t)> line_writer(int fd);

class Acknowledged {
 public:
  void tell(std::uint64_t last) {
    const std::lock_guard lock(mutex_);
    last_ = last;
    changed_.notify_all();
  }
  // No more will be acknowledged.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  // Until so many are, or there will be no more.
  void wait_for(std::uint64_t last) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return last_ >= last || ended_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_ = 0;
  bool ended_ = false;
};

}  // namespace outcore
