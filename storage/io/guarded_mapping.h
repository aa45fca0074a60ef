// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading. Neither a truncated file nor a bad sector kills the process.
//
// Touching a mapped page that cannot be read raises SIGBUS. The first GuardedMapping installs a
// handler that puts a page of zeroes in its place, records where, and lets the thread continue. A
// caller that used the bytes must call check() before trusting them. SIGBUS at other addresses goes
// to the previous handler.
//
// Advice to the kernel is given in two places: on the mapping for page faults, and on the
// descriptor for buffered reads. Under `random` it reads, page by page, only what is touched or
// asked for. Under `sequential` it reads ahead, as far as the device's read_ahead_kb says, and in
// large folios, which take a fraction of the time. Under `normal` a fault reads that much around
// it, and a read only if it looks like part of a stream.
//
// Threads: any thread may read, check, advise and release. A released page comes back when it is
// touched. Units: bytes. The mapping is as long as the file was when it was opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "common/files.h"
#include "storage/io/backend.h"

namespace outcore {

struct MappedSlot;  // the handler's entry for a mapping

class GuardedMapping {
 public:
  GuardedMapping(const std::filesystem::path& path, MapAdvice faults,
                 MapAdvice reads = MapAdvice::normal);
  ~GuardedMapping();
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;

  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const File& file() const { return file_; }

  // Throws Error (io), with the offset, if the file ends before `offset` + `bytes`, or if a page of
  // this range could not be read.
  void check(std::uint64_t offset, std::uint64_t bytes) const;

  // As in MappedView. Parts of a range after the end of the mapping are ignored.
  void advise(std::uint64_t offset, std::uint64_t bytes, MapAdvice faults) const;
  std::uint64_t release(std::uint64_t offset, std::uint64_t bytes) const;
  // Removes the whole pages of the range from this mapping only; they stay in memory.
  void unmap(std::uint64_t offset, std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t resident(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  // The whole pages of a range that are mapped.
  [[nodiscard]] std::span<std::byte> pages(std::uint64_t offset, std::uint64_t bytes) const;

  File file_;
  std::uint64_t bytes_;
  std::byte* data_ = nullptr;
  MappedSlot* slot_ = nullptr;
};

}  // namespace outcore
