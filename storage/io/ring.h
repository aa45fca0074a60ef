// SPDX-License-Identifier: Apache-2.0
// Opening and closing an io_uring.
#pragma once

#include <liburing.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace outcore {

// A ring may be mapped where another thread's ring was before that was closed. The kernel orders
// the two, but liburing maps the memory by itself, so a thread sanitizer would report what both
// threads wrote there as a race. This variable shows it the order: opening a ring acquires what
// each earlier closing released.
inline std::atomic<unsigned> closed_rings{0};

// Like io_uring_queue_init().
inline int open_ring(unsigned entries, io_uring& ring, unsigned flags) {
  const int result = io_uring_queue_init(entries, &ring, flags);
  static_cast<void>(closed_rings.load(std::memory_order_acquire));
  return result;
}

// Waits for the `in_kernel` requests that the kernel still has, then closes the ring: until they
// are finished, the kernel writes into their memory.
inline void drain_and_close(io_uring& ring, std::size_t in_kernel) {
  while (in_kernel > 0) {
    io_uring_cqe* entry = nullptr;
    const int result = io_uring_wait_cqe(&ring, &entry);
    if (result == -EINTR || result == -EAGAIN) continue;
    if (result < 0) break;  // the ring itself is broken: nothing more will come
    io_uring_cqe_seen(&ring, entry);
    --in_kernel;
  }
  closed_rings.fetch_add(1, std::memory_order_release);
  io_uring_queue_exit(&ring);
}

}  // namespace outcore
