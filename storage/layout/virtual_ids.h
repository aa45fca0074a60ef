// SPDX-License-Identifier: Apache-2.0
// Which ids stand for no vertex, as one thread finds them in the table of ids and another, which
// reads the positions of lists meanwhile, wants to know.
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
  // These, ascending, are the next ones, and there are no others below `end`.
  void add(std::span<const VertexId> ids, VertexId end) {
    const std::lock_guard lock(mutex_);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    end_ = end;
    changed_.notify_all();
  }
  // There will be no more, whatever is known by now.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  // Waits until all of [begin, end) are known; then those of them. What is never known, as the
  // table turns out to be broken, counts as none.
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
