// SPDX-License-Identifier: Apache-2.0
// Persistent memory as a file that is mapped: one on a file system with direct access (DAX), by
// MAP_SYNC, so that the file system's own data of the pages is durable when a page is first
// written.
//
// Where a file system gives no MAP_SYNC, stores to a mapped file go to the page cache, and no
// instruction makes them last. Such a file is refused. For tests of what does not need power to be
// lost, an ordinary file may stand in: OUTCORE_PMEM=ordinary-file in the environment. Then
// is_persistent() is false, and messages and records say so.
//
// To read, the file is mapped privately: what a reader's recovery writes stays in its memory. One
// process writes, or several read.
#pragma once

#include <filesystem>

#include "common/files.h"
#include "storage/evolving/durable/disk.h"
#include "storage/evolving/pmem/persistent_memory.h"

namespace outcore::evolving {

class MappedMemory final : public PersistentMemory {
 public:
  // May an ordinary file stand in?
  static bool ordinary_file_is_asked();

  // A new file of so many bytes, all 0, none of which take room yet. Throws a usage Error where the
  // file system gives no MAP_SYNC.
  MappedMemory(const std::filesystem::path& path, std::uint64_t bytes);
  // A file that is there. Throws a usage Error where another process has it, too.
  MappedMemory(const std::filesystem::path& path, Access access);
  ~MappedMemory() override;
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  [[nodiscard]] std::byte* base() const override { return base_; }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  void make_room(std::uint64_t offset, std::uint64_t bytes) override;
  void flush(const void* at, std::uint64_t bytes) override;
  void fence() override;
  [[nodiscard]] bool is_persistent() const override { return is_persistent_; }
  [[nodiscard]] std::filesystem::path path() const override { return file_.path(); }
  // The file itself, with its size, as any file is made durable.
  void sync();

 private:
  void lock(Access access) const;
  void map();
  // Null with errno set where it cannot be.
  [[nodiscard]] std::byte* mapped(int flags) const;

  File file_;
  const bool writes_;
  std::uint64_t bytes_ = 0;
  std::byte* base_ = nullptr;
  bool is_persistent_ = false;
};

}  // namespace outcore::evolving
