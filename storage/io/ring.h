// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of an io_uring.
#pragma once

#include <liburing.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace outcore {

// A ring may lie where one of another thread lay before that was closed. The kernel has the one
// after the other, but liburing asks it for memory by itself, so that a thread sanitizer takes what
// both threads wrote there for a race. This tells it: whoever opens a ring acquires what each that
// closed one released before.
inline std::atomic<unsigned> closed_rings{0};

// As io_uring_queue_init().
inline int open_ring(unsigned entries, io_uring& ring, unsigned flags) {
  const int result = io_uring_queue_init(entries, &ring, flags);
  static_cast<void>(closed_rings.load(std::memory_order_acquire));
  return result;
}

// Waits for what the kernel still has, `in_kernel` requests, and gives the ring back: until each is
// over, the kernel writes into the memory that it was given.
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
