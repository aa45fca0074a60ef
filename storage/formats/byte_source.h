// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a file or pipe from front to back, decompressed if it is compressed (.gz,
// .zst; several members or frames may follow each other). The ending of a file's name tells its
// compression; for a pipe its first bytes do. One thread at a time may use it, except for cancel().
//
// Memory: 256 KiB; for .gz 32 KiB more; for .zst the window that the file was compressed with, at
// most 128 MiB (--long=27). Files that need more are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/hash.h"

namespace outcore {

// A file or pipe, as it is.
class InputFile {
 public:
  // "-" is standard input. Throws if the path is neither a file nor a pipe.
  explicit InputFile(const std::filesystem::path& path);
  // A pipe; `name` is its name in messages.
  InputFile(int fd, const std::filesystem::path& name);

  // Fills `into`. Fewer bytes are returned only at the end.
  std::size_t read(std::span<char> into);
  // What is there, as soon as anything is: at least one byte, none only at the end.
  std::size_t read_some(std::span<char> into);
  // The bytes with which read() will begin: `count` of them, or all if there are fewer. REQUIRES:
  // read() has not been called.
  std::span<const char> peek(std::size_t count);
  // May be called from any thread. A thread that waits for the other end of a pipe, now or later,
  // continues as if the pipe had ended.
  void cancel();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // its name in messages
  // True if it cannot be opened a second time.
  [[nodiscard]] bool passes_once() const { return passes_once_; }
  // The size of a file; the size of a pipe is unknown.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t position() const { return fetched_ - peeked_.size(); }
  // Hash of the bytes that were read.
  [[nodiscard]] std::uint64_t hash() const { return hash_.value(); }

 private:
  struct Descriptor {
    explicit Descriptor(int number) : fd(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int fd;
  };

  [[nodiscard]] bool wait() const;
  std::size_t fetch(std::span<char> into);
  std::size_t fetch_some(std::span<char> into);

  std::filesystem::path path_;
  Descriptor file_;
  Descriptor cancelled_;  // an eventfd that becomes readable when cancelled
  bool passes_once_ = true;
  std::optional<std::uint64_t> bytes_;
  std::vector<char> peeked_;
  std::uint64_t fetched_ = 0;
  StreamHash hash_;
};

class ByteSource {
 public:
  explicit ByteSource(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills `into`. Fewer bytes are returned only at the end. Throws bad_input with the offset in the
  // compressed file where it is broken or cut.
  std::size_t read(std::span<char> into);
  // The same, except for a pipe that is not compressed: returns what is there as soon as there is
  // at least one byte, and none only at the end.
  std::size_t read_some(std::span<char> into);
  // The next read begins with these bytes.
  void put_back(std::span<const char> bytes);

  [[nodiscard]] InputFile& file() { return *file_; }
  [[nodiscard]] const InputFile& file() const { return *file_; }

 protected:
  virtual std::size_t decode(std::span<char> into) = 0;
  virtual std::size_t decode_some(std::span<char> into) { return decode(into); }

 private:
  std::unique_ptr<InputFile> file_;
  std::vector<char> put_back_;
};

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);
// Takes over the reading end of a pipe; `name` is its name in messages.
std::unique_ptr<ByteSource> open_pipe(int fd, const std::filesystem::path& name);
// Decided by the name's ending.
bool is_compressed(const std::filesystem::path& path);
// "edges.el.gz": "edges.el"
std::filesystem::path without_compression(const std::filesystem::path& path);

}  // namespace outcore
