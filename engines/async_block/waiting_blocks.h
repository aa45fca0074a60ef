// SPDX-License-Identifier: Apache-2.0
// Active blocks in the order in which they are taken: the most urgent priority first and, among
// equals, in sweeps through the file by the place of their data, like a lift. So neighbours come
// one after another and can be read by one request; and a block that is activated again behind the
// current place waits for the next sweep, and has gathered more work by then.
//
// An entry is stale if its block has left the queue or has become more urgent since; whoever takes
// the entry checks the block. Not thread-safe.
#pragma once

#include <algorithm>
#include <vector>

#include "engines/program.h"

namespace outcore {

class WaitingBlocks {
 public:
  struct Entry {
    Priority priority = kQuiet;
    std::uint32_t sweep = 0;
    std::uint32_t position = 0;  // disk block
    std::uint32_t block = 0;
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Entry& first() const { return heap_.front(); }
  // Those that are stale included.
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  void push(Priority priority, std::uint32_t block, std::uint32_t position) {
    heap_.push_back({priority, sweep_ + (position < next_ ? 1 : 0), position, block});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    sweep_ = std::max(sweep_, entry.sweep);
    next_ = entry.position + 1;
    return entry;
  }
  // All of them are stale.
  void clear() { heap_.clear(); }
  // Those that are stale go.
  template <typename IsStale>
  void forget_if(IsStale&& is_stale) {
    std::erase_if(heap_, is_stale);
    std::make_heap(heap_.begin(), heap_.end(), later);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return heap_.capacity() * sizeof(Entry); }

 private:
  static bool later(const Entry& a, const Entry& b) {
    const std::uint64_t urgency_a = urgency(a);
    const std::uint64_t urgency_b = urgency(b);
    return urgency_a != urgency_b ? urgency_a > urgency_b : place(a) > place(b);
  }
  // Two words to compare rather than four: bits of unsigned numbers that stand in the same order.
  static std::uint64_t urgency(const Entry& entry) {
    const std::uint32_t priority = static_cast<std::uint32_t>(entry.priority) ^ 0x8000'0000U;
    return std::uint64_t{priority} << 32 | entry.sweep;
  }
  static std::uint64_t place(const Entry& entry) {
    return std::uint64_t{entry.position} << 32 | entry.block;
  }

  std::vector<Entry> heap_;
  std::uint32_t sweep_ = 0;
  std::uint32_t next_ = 0;  // position that the sweep has not passed
};

}  // namespace outcore
