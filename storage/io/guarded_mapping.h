// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading that neither a cut nor a bad sector turns into a killed process.
//
// Touching a mapped page that cannot be had raises SIGBUS. From the first GuardedMapping on, a
// handler puts a page of zeroes in its place, notes where, and lets the thread go on: whoever used
// the bytes asks check() afterwards, before trusting them. SIGBUS at other addresses goes to
// whoever handled it before.
//
// Advice to the kernel is of two kinds, of the mapping for faults and of the descriptor for
// buffered reads. Under `random` it reads what is touched or asked for and nothing around it, page
// by page; under `sequential` ahead, as far as the device's read_ahead_kb says, and in large
// folios, which cost a fraction of the time; under `normal` faults read that much around them, and
// reads only where they look like a stream.
//
// Threads: any may read, check, advise and release; a page that was released comes back when it is
// touched. Units: bytes. The mapping is as long as the file was when it was
// opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "common/files.h"
#include "storage/io/backend.h"

namespace outcore {

struct MappedSlot;  // what the handler knows of a mapping

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

  // Throws Error (io), with the offset, when the file ends before `offset` + `bytes`, or when any
  // page of it could not be had.
  void check(std::uint64_t offset, std::uint64_t bytes) const;

  // As MappedView says. The parts of a range that lie behind the end of the mapping are left out.
  void advise(std::uint64_t offset, std::uint64_t bytes, MapAdvice faults) const;
  std::uint64_t release(std::uint64_t offset, std::uint64_t bytes) const;
  // Whole pages of the range leave this mapping alone; they stay in memory.
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
