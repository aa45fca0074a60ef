// SPDX-License-Identifier: Apache-2.0
#include "common/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

void sync_at(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) throw io_error(Place::file(path), "cannot open", errno);
  const int result = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  if (result != 0) throw io_error(Place::file(path), "cannot sync", error);
}

}  // namespace

void sync_folder(const fs::path& folder) { sync_at(folder, O_DIRECTORY); }

void sync_tree(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) {
      sync_tree(entry.path());
    } else {
      sync_at(entry.path(), 0);
    }
  }
  sync_folder(folder);
}

}  // namespace outcore
