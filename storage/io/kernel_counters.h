// SPDX-License-Identifier: Apache-2.0
// What the kernel knows about a process's reads and writes and about the pages of files:
// independent evidence for what the Door counts, and for whether a run started cold. May be called
// from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "common/files.h"

namespace outcore {

// What the kernel counted for this process since construction: bytes from and to the block layer
// (/proc/self/io), major and minor faults. `available` is false if the file cannot be read. Writes
// through the page cache count when they are passed to it, not when they reach the device. Every
// file counts, not only the Door's.
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

// Bytes of the file's pages in the page cache, for pages that begin in [offset, offset + bytes).
// REQUIRES: offset is a multiple of the page size; bytes > 0.
std::uint64_t resident_bytes(const File& file, std::uint64_t offset, std::uint64_t bytes);
// The share of the files' pages in the page cache, 0 to 1; 0 if there are no pages.
double page_residency(const std::vector<std::filesystem::path>& files);
// Drops the files' pages from the page cache. The kernel drops only clean pages, and files that
// were just built are dirty, so they are written out first. Pages that any process maps stay.
void evict_pages(const std::vector<std::filesystem::path>& files);

}  // namespace outcore
