// SPDX-License-Identifier: Apache-2.0
// How many blocks may be brought in beside those that are wanted.
//
// A wave through a grid or along a chain wants a block at a time, and its neighbours in the file
// next. A request for sixteen blocks costs a device hardly more than a request for one. But on a
// graph without such order neighbours are read in vain, and only a trial tells. So a number of
// blocks may be read ahead and not be used yet. One that is used makes room for another; one that
// has to leave its frame before counts on, until eight others were used. Where more than one in
// nine is in vain, reading ahead soon ends.
//
// Threads: all may call at once. Relaxed throughout: the numbers guard no other data, and a few
// blocks more or less do no harm.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace outcore {

class ReadAhead {
 public:
  // So many may be read ahead and not be used yet. What was lost before counts on.
  void allow(std::uint32_t blocks) { allowed_.store(blocks, std::memory_order_relaxed); }

  // How many more may be.
  [[nodiscard]] std::uint32_t left() const {
    const std::int64_t left = allowed_.load(std::memory_order_relaxed) -
                              unused_.load(std::memory_order_relaxed) -
                              lost_.load(std::memory_order_relaxed);
    return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 0));
  }
  // A block is read ahead; later it is used, or lost.
  void read() { unused_.fetch_add(1, std::memory_order_relaxed); }
  void use() {
    constexpr std::uint32_t kForgives = 8;
    unused_.fetch_sub(1, std::memory_order_relaxed);
    if (used_.fetch_add(1, std::memory_order_relaxed) % kForgives != kForgives - 1) return;
    std::int64_t lost = lost_.load(std::memory_order_relaxed);
    while (lost > 0 && !lost_.compare_exchange_weak(lost, lost - 1, std::memory_order_relaxed)) {
    }
  }
  void lose() {
    unused_.fetch_sub(1, std::memory_order_relaxed);
    lost_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> allowed_{0};
  std::atomic<std::int64_t> unused_{0};
  std::atomic<std::int64_t> lost_{0};
  std::atomic<std::uint32_t> used_{0};
};

}  // namespace outcore
