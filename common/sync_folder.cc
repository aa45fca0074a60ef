// SPDX-License-Identifier: Apache-2.0
#include "common/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) throw io_error(Place::file(folder), "cannot open", errno);
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  if (result != 0) throw io_error(Place::file(folder), "cannot sync", error);
}

}  // namespace outcore
