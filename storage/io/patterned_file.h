// SPDX-License-Identifier: Apache-2.0
// For tests: a temporary file in which every 8 bytes are a hash of their position, so that
// misplaced bytes are detected. Removed on destruction.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "common/files.h"
#include "common/hash.h"
#include "storage/io/door.h"

namespace outcore {

class PatternedFile {
 public:
  explicit PatternedFile(std::uint64_t bytes) : bytes_(bytes) {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("outcore-io-test-{}-{}", ::getpid(), count++);
    std::vector<std::byte> content(bytes);
    fill(content, 0);
    File::create(path_).write(content);
  }
  ~PatternedFile() { std::filesystem::remove(path_); }
  PatternedFile(const PatternedFile&) = delete;
  PatternedFile& operator=(const PatternedFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  void cut(std::uint64_t to) const { std::filesystem::resize_file(path_, to); }

  // Are `bytes` the file's bytes at `offset`?
  [[nodiscard]] static bool right(std::span<const std::byte> bytes, std::uint64_t offset) {
    std::vector<std::byte> expected(bytes.size());
    fill(expected, offset);
    return std::memcmp(expected.data(), bytes.data(), bytes.size()) == 0;
  }

  [[nodiscard]] BlockFile block_file(std::uint32_t block_bytes) const {
    BlockFile file{path_, block_bytes, {}};
    std::vector<std::byte> block(block_bytes);
    for (std::uint64_t offset = 0; offset < bytes_; offset += block_bytes) {
      fill(block, offset);
      file.sums.push_back(checksum32(block));
    }
    return file;
  }

 private:
  static void fill(std::span<std::byte> bytes, std::uint64_t offset) {
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      const std::uint64_t word = mix(offset + i);
      std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, bytes.size() - i));
    }
  }

  std::uint64_t bytes_;
  std::filesystem::path path_;
};

// Page-aligned memory, as requests need.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t bytes)
      : memory_(static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes))), bytes_(bytes) {
    std::memset(memory_, 0, bytes);
  }
  ~AlignedBuffer() { std::free(memory_); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  [[nodiscard]] std::span<std::byte> all() const { return {memory_, bytes_}; }
  [[nodiscard]] std::byte* at(std::size_t offset) const { return memory_ + offset; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
};

}  // namespace outcore
