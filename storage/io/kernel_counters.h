// SPDX-License-Identifier: Apache-2.0
// What the kernel knows of a process's reads and writes and of files' pages: the independent
// witness to what the Door counts, and to whether a run started cold. Any thread may ask.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/files.h"

namespace outcore {

// What the kernel counted for this process since construction: bytes from and to the block layer
// (/proc/self/io), major and minor faults. `available` is false where the file cannot be read. What
// is written through the page cache counts when it is handed over, not when it reaches the device.
// This counts every file, not only the Door's.
class KernelCounters {
 public:
  KernelCounters();
  struct Reading {
    bool available = false;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t minor_faults = 0;
  };
  [[nodiscard]] Reading since_start() const;

 private:
  Reading start_;
};

// Bytes of the file's pages in the page cache, of those that begin in [offset, offset + bytes).
// REQUIRES: offset is a multiple of the page size; bytes > 0.
std::uint64_t resident_bytes(const File& file, std::uint64_t offset, std::uint64_t bytes);
// Share of the files' pages in the page cache, 0 to 1; 0 of no pages.
double page_residency(const std::vector<std::filesystem::path>& files);
// Drops the files' pages from the page cache. Files that were just built are dirty and the kernel
// drops clean pages only, so they are written out first; pages mapped by someone stay.
void evict_pages(const std::vector<std::filesystem::path>& files);

}  // namespace outcore
