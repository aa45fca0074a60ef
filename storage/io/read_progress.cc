// SPDX-License-Identifier: Apache-2.0
#include "storage/io/read_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace outcore {

bool ReadProgress::take(std::int64_t result, const std::filesystem::path& path) {
  if (result == -EINTR || result == -EAGAIN) return false;
  if (result < 0) {
    throw io_error(Place::offset(path, offset()), fmt::format("read of {} bytes failed", bytes()),
                   static_cast<int>(-result));
  }
  const auto reached = start_ + static_cast<std::uint32_t>(result);
  if (reached == request_.bytes) return true;
  if (reached <= arrived_) {  // asked again and nothing new came
    throw io_error(
        Place::offset(path, request_.offset + arrived_),
        fmt::format("the file ends {} bytes early (was it cut?)", request_.bytes - arrived_), 0);
  }
  arrived_ = reached;
  // O_DIRECT reads must begin aligned, so the last odd bytes are read once more.
  start_ = reached - reached % static_cast<std::uint32_t>(kAlignment);
  return false;
}

void read_fully(const File& file, const ReadRequest& request) {
  ReadProgress progress(request);
  std::int64_t result = 0;
  do {
    result = ::pread(file.fd(), progress.into(), progress.bytes(),
                     static_cast<off_t>(progress.offset()));
    if (result < 0) result = -errno;
  } while (!progress.take(result, file.path()));
}

}  // namespace outcore
