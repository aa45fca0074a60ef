// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/pmem/mapped_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "common/error.h"
#include "common/sizes.h"
#include "storage/evolving/pmem/cache_lines.h"

namespace outcore::evolving {

namespace {

File opened(const std::filesystem::path& path, Access access) {
  return access == Access::write ? File::open_update(path) : File::open_read(path);
}

// Is the file read where it lies, and not in the page cache?
bool has_direct_access(const File& file) {
  struct statx facts = {};
  if (::statx(file.fd(), "", AT_EMPTY_PATH, STATX_BASIC_STATS, &facts) != 0) return false;
  return (facts.stx_attributes & STATX_ATTR_DAX) != 0;
}

}  // namespace

bool MappedMemory::ordinary_file_is_asked() {
  const char* const asked = std::getenv("OUTCORE_PMEM");
  return asked != nullptr && std::string_view(asked) == "ordinary-file";
}

MappedMemory::MappedMemory(const std::filesystem::path& path, std::uint64_t bytes)
    : file_(File::create(path)), writes_(true), bytes_(bytes) {
  if (::ftruncate(file_.fd(), static_cast<off_t>(bytes)) != 0)
    throw io_error(Place::file(path), fmt::format("cannot give it {}", human_size(bytes)), errno);
  lock(Access::write);
  map();
}

MappedMemory::MappedMemory(const std::filesystem::path& path, Access access)
    : file_(opened(path, access)), writes_(access == Access::write), bytes_(file_.size()) {
  lock(access);
  map();
}

MappedMemory::~MappedMemory() { ::munmap(base_, bytes_); }

void MappedMemory::lock(Access access) const {
  if (::flock(file_.fd(), (access == Access::write ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return;
  throw usage_error(
      fmt::format("{}: another process has it open{}", path().string(),
                  access == Access::write
                      ? "; a store on persistent memory has one writer, and no readers meanwhile"
                      : " to write; a store on persistent memory is read when its writer has "
                        "ended"));
}

std::byte* MappedMemory::mapped(int flags) const {
  void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file_.fd(), 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

void MappedMemory::map() {
  if (!writes_) {
    base_ = mapped(MAP_PRIVATE | MAP_NORESERVE);
    is_persistent_ = has_direct_access(file_);
  } else {
    errno = EOPNOTSUPP;
    if (cache_lines::kKnown) base_ = mapped(MAP_SHARED_VALIDATE | MAP_SYNC);
    is_persistent_ = base_ != nullptr;
    if (!is_persistent_ && ordinary_file_is_asked()) base_ = mapped(MAP_SHARED);
  }
  if (base_ != nullptr) return;
  if (errno != EOPNOTSUPP && errno != EINVAL)
    throw io_error(Place::file(path()), "cannot map", errno);
  throw usage_error(
      fmt::format("{}: its file system gives no MAP_SYNC, so what is stored there would not last "
                  "over a loss of power; medium=pmem needs persistent memory, with a file system "
                  "on it that is mounted for direct access (mount -o dax). On any disk medium=ssd "
                  "keeps what it acknowledges",
                  path().string()));
}

void MappedMemory::make_room(std::uint64_t offset, std::uint64_t bytes) {
  if (!writes_) return;  // pages of a private mapping come when they are written
  const int error =
      ::posix_fallocate(file_.fd(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (error == 0) return;
  throw io_error(Place::offset(path(), offset),
                 fmt::format("no room for {} more", human_size(bytes)), error);
}

void MappedMemory::flush(const void* at, std::uint64_t bytes) {
  if (writes_) cache_lines::write_back(at, bytes);
}

void MappedMemory::fence() {
  if (writes_) cache_lines::fence();
}

void MappedMemory::sync() {
  if (::fsync(file_.fd()) != 0) throw io_error(Place::file(path()), "cannot sync", errno);
}

}  // namespace outcore::evolving
