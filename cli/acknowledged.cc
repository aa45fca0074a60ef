// SPDX-License-Identifier: Apache-2.0
#include "cli/acknowledged.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/error.h"

namespace outcore {

std::function<void(std::uint64_t)> line_writer(int fd) {
  if (fd < 0) return nullptr;
  if (::write(fd, nullptr, 0) != 0) {
    throw usage_error(fmt::format("--ack {}: no descriptor of that number can be written", fd));
  }
  return [fd](std::uint64_t last) {
    const std::string line = fmt::format("{}\n", last);
    for (std::size_t at = 0; at < line.size();) {
      const ssize_t written = ::write(fd, line.data() + at, line.size() - at);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw io_error(Place::file("--ack"), "cannot write", errno);
      at += static_cast<std::size_t>(written);
    }
  };
}

}  // namespace outcore
