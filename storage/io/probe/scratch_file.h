// SPDX-License-Identifier: Apache-2.0
// A file of random bytes on the device that is measured. It has no name in its folder, so it is
// gone when the process ends, in whatever way.
//
// Its bytes are random and no two blocks are equal, so neither a device nor a file system can
// compress or deduplicate them, or answer from a hole.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace outcore {

// Throws a usage Error for a folder that does not exist, and for file systems that are not on a
// device of this machine (tmpfs, network, FUSE, ...).
void check_measurable(const std::filesystem::path& folder);

class ScratchFile {
 public:
  // Throws as check_measurable does, and an io Error for file systems that refuse O_DIRECT.
  explicit ScratchFile(const std::filesystem::path& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // A path by which this process can open the file.
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  struct Written {
    std::uint64_t bytes = 0;
    double seconds = 0;
  };
  // Writes up to `bytes` (whole MiB) from front to back, kWriters requests of 1 MiB at a time, past
  // the page cache, and syncs. What is not written after `most_seconds` is left out.
  Written fill(std::uint64_t bytes, double most_seconds);
  // Overwrites block `number` of 4 KB and syncs; returns the seconds of the sync.
  double sync_one(std::uint64_t number);
  // Overwrites the piece of that number, of `bytes` (a multiple of 4 KB), and syncs; returns the
  // seconds of both.
  double commit_one(std::uint64_t number, std::uint32_t bytes);

  static constexpr unsigned kWriters = 4;
  static constexpr std::uint64_t kChunk = 1 << 20;

 private:
  void write(std::span<const std::byte> bytes, std::uint64_t offset) const;
  void sync() const;

  std::filesystem::path folder_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

// Bytes that neither compress nor repeat.
void randomise(std::span<std::byte> bytes, std::uint64_t seed);

// The size of a scratch file in `folder`: `asked`, but at most a tenth of the free space. Throws io
// if that is less than `least`.
std::uint64_t scratch_bytes(const std::filesystem::path& folder, std::uint64_t asked,
                            std::uint64_t least);

}  // namespace outcore
