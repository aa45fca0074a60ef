// SPDX-License-Identifier: Apache-2.0
// The ids that represent no vertex. One thread finds them in the table of ids; another thread,
// which reads the positions of lists at the same time, asks for them.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "common/ids.h"

namespace outcore {

class VirtualIds {
 public:
  // Adds the next ids, ascending. There are no others below `end`.
  void add(std::span<const VertexId> ids, VertexId end) {
    const std::lock_guard lock(mutex_);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    end_ = end;
    changed_.notify_all();
  }
  // There will be no more ids, whatever is known so far.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  // Waits until all of [begin, end) is known, and returns the virtual ids in it. If the table turns
  // out to be broken, ids that never become known count as none.
  std::vector<VertexId> within(VertexId begin, VertexId end) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return end_ >= end || stopped_; });
    return {std::lower_bound(ids_.begin(), ids_.end(), begin),
            std::lower_bound(ids_.begin(), ids_.end(), end)};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<VertexId> ids_;
  VertexId end_ = 0;
  bool stopped_ = false;
};

}  // namespace outcore
