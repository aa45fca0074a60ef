// SPDX-License-Identifier: Apache-2.0
#include "storage/container/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "common/error.h"

namespace outcore {

MappedFile::MappedFile(const std::filesystem::path& path) : MappedFile(File::open_read(path)) {}

MappedFile::MappedFile(const File& file) : bytes_(file.size()) {
  if (bytes_ == 0) return;  // an empty file cannot be mapped
  memory_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (memory_ == MAP_FAILED) throw io_error(Place::file(file.path()), "cannot map", errno);
}

MappedFile::~MappedFile() {
  if (bytes_ > 0) ::munmap(memory_, bytes_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

}  // namespace outcore
