// SPDX-License-Identifier: Apache-2.0
#include "storage/io/request_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace outcore {

bool RequestProgress::take(std::int64_t result, const std::filesystem::path& path) {
  if (result == -EINTR || result == -EAGAIN) return false;
  if (result < 0) fail(result, path);
  if (request_.op == Op::sync) return true;
  const auto reached = start_ + static_cast<std::uint32_t>(result);
  if (reached == request_.bytes) return true;
  if (reached <= done_) {  // asked again, but nothing more came
    const std::uint32_t missing = request_.bytes - done_;
    throw io_error(Place::offset(path, request_.offset + done_),
                   request_.op == Op::write
                       ? fmt::format("a write stops {} bytes early (is the device full?)", missing)
                       : fmt::format("the file ends {} bytes early (was it cut?)", missing),
                   0);
  }
  done_ = reached;
  // Under O_DIRECT parts must begin aligned, so an unaligned rest is read or written once more.
  start_ = reached - reached % static_cast<std::uint32_t>(kAlignment);
  return false;
}

void RequestProgress::fail(std::int64_t result, const std::filesystem::path& path) const {
  const auto reason = static_cast<int>(-result);
  if (request_.op == Op::sync) {
    throw io_error(Place::file(path), "fdatasync failed: what was written may be lost", reason);
  }
  throw io_error(
      Place::offset(path, offset()),
      fmt::format("{} of {} bytes failed", request_.op == Op::write ? "write" : "read", bytes()),
      reason);
}

void carry_out(const File& file, const Request& request) {
  RequestProgress progress(request);
  const auto next_part = [&]() -> std::int64_t {
    const auto offset = static_cast<off_t>(progress.offset());
    switch (request.op) {
      case Op::read:
        return ::pread(file.fd(), progress.memory(), progress.bytes(), offset);
      case Op::write:
        return ::pwrite(file.fd(), progress.memory(), progress.bytes(), offset);
      case Op::sync:
        break;
    }
    return ::fdatasync(file.fd());
  };
  std::int64_t result = 0;
  do {
    result = next_part();
    if (result < 0) result = -errno;
  } while (!progress.take(result, file.path()));
}

}  // namespace outcore
