// SPDX-License-Identifier: Apache-2.0
// The end of an io_uring.
#pragma once

#include <liburing.h>

#include <cerrno>
#include <cstddef>

namespace outcore {

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
  io_uring_queue_exit(&ring);
}

}  // namespace outcore
