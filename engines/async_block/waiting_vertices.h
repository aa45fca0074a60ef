// SPDX-License-Identifier: Apache-2.0
// Active vertices in the order in which they are taken: the soonest priority first and, among
// equals, whichever came first.
//
// Most of the time each is no sooner than the one before it (a hub's neighbours, the next level of
// a search, residuals, which are all alike). Those wait in a row. The others wait in a heap beside
// it, which on a chain holds a vertex or two.
//
// A vertex that became sooner has an entry for each time. Only the first one that is taken counts,
// so whoever takes an entry asks the vertex. Not thread-safe.
#pragma once

#include <algorithm>
#include <vector>

#include "engines/program.h"

namespace outcore {

class WaitingVertices {
 public:
  using Entry = Activations::Entry;

  [[nodiscard]] bool empty() const { return size() == 0; }
  // Entries, those of vertices that were taken since included.
  [[nodiscard]] std::size_t size() const { return row_.size() - row_done_ + heap_.size(); }
  // REQUIRES: not empty().
  [[nodiscard]] Priority soonest() const {
    return takes_from_heap() ? heap_.front().priority : row_[row_done_].priority;
  }
  void push(const Entry& entry) {
    if (row_done_ == row_.size() || entry.priority >= row_.back().priority) {
      row_.push_back(entry);
    } else {
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
  // REQUIRES: not empty().
  Entry pop() {
    if (takes_from_heap()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const Entry entry = heap_.back();
      heap_.pop_back();
      return entry;
    }
    const Entry entry = row_[row_done_++];
    // Moved up when half of them are done: each is moved once at most, and they do not pile up.
    if (2 * row_done_ >= row_.size()) {
      row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(row_done_));
      row_done_ = 0;
    }
    return entry;
  }
  void clear() {
    row_.clear();
    row_done_ = 0;
    heap_.clear();
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (row_.capacity() + heap_.capacity()) * sizeof(Entry);
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.priority > b.priority; }
  [[nodiscard]] bool takes_from_heap() const {
    return !heap_.empty() &&
           (row_done_ == row_.size() || heap_.front().priority < row_[row_done_].priority);
  }

  std::vector<Entry> row_;  // ascending; the first row_done_ were taken
  std::size_t row_done_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace outcore
