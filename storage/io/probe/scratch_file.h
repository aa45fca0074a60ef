// SPDX-License-Identifier: Apache-2.0
// A file of random bytes on the device that is to be measured. It has no name in its folder, so
// that it is gone when the process is, however that ends.
//
// Random bytes, and no two blocks alike: neither a device nor a file system can compress them, fold
// them together or answer from a hole.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace outcore {

// Refuses with a usage Error a folder that does not exist and file systems that stand on no device
// of this machine (tmpfs, network, FUSE, ...).
void check_measurable(const std::filesystem::path& folder);

class ScratchFile {
 public:
  // Throws as check_measurable does, and an io Error for file systems that refuse O_DIRECT.
  explicit ScratchFile(const std::filesystem::path& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // A path under which this process can open it.
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  struct Written {
    std::uint64_t bytes = 0;
    double seconds = 0;
  };
  // Writes up to `bytes` (whole MiB) front to back, kWriters requests of 1 MiB at a time, past the
  // page cache, and has the device keep them; what is not written after `most_seconds` is left out.
  Written fill(std::uint64_t bytes, double most_seconds);
  // Overwrites the block `number` of 4 KB and has the device keep it; seconds of the latter.
  double sync_one(std::uint64_t number);

  static constexpr unsigned kWriters = 4;
  static constexpr std::uint64_t kChunk = 1 << 20;

 private:
  void write(std::span<const std::byte> bytes, std::uint64_t offset) const;
  void sync() const;

  std::filesystem::path folder_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

// How large a scratch file may be in `folder`: `asked`, or less where a tenth of what is free is
// less. Throws io where that is below `least`.
std::uint64_t scratch_bytes(const std::filesystem::path& folder, std::uint64_t asked,
                            std::uint64_t least);

}  // namespace outcore
