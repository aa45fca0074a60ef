// SPDX-License-Identifier: Apache-2.0
// How many updates are acknowledged, for those who wait until enough of them are. Any thread may
// call anything.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace outcore {

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
