// SPDX-License-Identifier: Apache-2.0
// Writes of a file, and the sync behind them, in one call of the kernel (io_uring): the sync begins
// when all writes have succeeded, so that no thread need be woken in between.
//
// One thread at a time uses a ring.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "storage/evolving/durable/disk.h"
#include "storage/io/ring.h"

namespace outcore::evolving {

class CommitRing {
 public:
  // Null where the kernel refuses io_uring.
  static std::unique_ptr<CommitRing> open();
  ~CommitRing() { drain_and_close(ring_, in_kernel_); }
  CommitRing(const CommitRing&) = delete;
  CommitRing& operator=(const CommitRing&) = delete;

  // Each as the kernel says it: bytes or 0, or a negative errno. What comes behind a write that
  // failed, or was cut short, is cancelled (-ECANCELED).
  struct Outcome {
    std::vector<int> writes;
    int sync = 0;
  };
  static constexpr std::size_t kMostPieces = 3;
  // Returns when nothing is under way any more. REQUIRES: at most kMostPieces. Throws Error (io)
  // where the kernel takes nothing.
  Outcome write_and_sync(int fd, std::span<const DiskPiece> pieces);

 private:
  CommitRing() = default;
  // Takes what is done; returns how much that was.
  std::size_t take(Outcome& outcome);

  io_uring ring_{};
  std::size_t in_kernel_ = 0;
};

}  // namespace outcore::evolving
