// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/commit_ring.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "common/error.h"

namespace outcore::evolving {

std::unique_ptr<CommitRing> CommitRing::open() {
  io_uring opened{};
  if (open_ring(kMostPieces + 1, opened, 0) < 0) return nullptr;
  std::unique_ptr<CommitRing> ring(new CommitRing);
  ring->ring_ = opened;
  return ring;
}

CommitRing::Outcome CommitRing::write_and_sync(int fd, std::span<const DiskPiece> pieces) {
  assert(pieces.size() <= kMostPieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    const std::span<const std::byte> bytes = pieces[i].bytes;
    io_uring_prep_write(entry, fd, bytes.data(), static_cast<unsigned>(bytes.size()),
                        pieces[i].offset);
    entry->flags |= IOSQE_IO_LINK;
    io_uring_sqe_set_data64(entry, i);
  }
  io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
  io_uring_prep_fsync(entry, fd, IORING_FSYNC_DATASYNC);
  io_uring_sqe_set_data64(entry, pieces.size());
  Outcome outcome{.writes = std::vector<int>(pieces.size()), .sync = 0};
  for (std::size_t done = 0; done <= pieces.size(); done += take(outcome)) {
    const int result = io_uring_submit_and_wait(&ring_, 1);
    if (result >= 0) {
      in_kernel_ += static_cast<std::size_t>(result);
    } else if (result != -EINTR && result != -EAGAIN && result != -EBUSY) {
      throw Error(ExitCode::io, fmt::format("io_uring refuses requests: {} (errno {})",
                                            std::strerror(-result), -result));
    }
  }
  return outcome;
}

std::size_t CommitRing::take(Outcome& outcome) {
  std::size_t taken = 0;
  for (io_uring_cqe* entry = nullptr; io_uring_peek_cqe(&ring_, &entry) == 0; ++taken) {
    const std::uint64_t number = io_uring_cqe_get_data64(entry);
    (number < outcome.writes.size() ? outcome.writes[number] : outcome.sync) = entry->res;
    io_uring_cqe_seen(&ring_, entry);
    --in_kernel_;
  }
  return taken;
}

}  // namespace outcore::evolving
