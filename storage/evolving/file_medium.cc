// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/file_medium.h"

#include <unistd.h>

#include <cerrno>
#include <span>

#include "common/error.h"

namespace outcore::evolving {

FileMedium::FileMedium(const std::filesystem::path& folder)
    : file_(File::create_nameless(folder)) {}

void FileMedium::wrote(std::uint64_t place, std::uint64_t bytes, const void* data) {
  file_.write_at(std::span(static_cast<const std::byte*>(data), bytes), place);
  writes_.fetch_add(1, std::memory_order_relaxed);
  written_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void FileMedium::sync() {
  if (::fdatasync(file_.fd()) != 0) throw io_error(Place::file(file_.path()), "cannot sync", errno);
}

}  // namespace outcore::evolving
