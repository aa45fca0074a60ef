// SPDX-License-Identifier: Apache-2.0
// The bytes of a file or a pipe front to back: as they are, or what compressed ones hold (.gz,
// .zst; several members or frames follow each other). Files are compressed by their names' endings,
// pipes by what they begin with. Used by one thread at a time, but for cancel().
//
// Memory: 256 KiB; for .gz 32 KiB more, for .zst the window that the file was compressed with, at
// most 128 MiB (--long=27): files that want more are refused.
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

// A file or pipe as it is.
class InputFile {
 public:
  // "-" is the standard input. Throws for what is neither file nor pipe.
  explicit InputFile(const std::filesystem::path& path);
  // A pipe, for messages called `name`.
  InputFile(int fd, const std::filesystem::path& name);

  // Fills `into`; fewer bytes come only at the end.
  std::size_t read(std::span<char> into);
  // What read() will begin with, before its first call: `count` bytes, or all that there are.
  std::span<const char> peek(std::size_t count);
  // From any thread: whoever waits for the other end of a pipe waits no longer, here and ever
  // after; it is as if the pipe had ended.
  void cancel();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // as messages name it
  // Cannot be opened a second time.
  [[nodiscard]] bool passes_once() const { return passes_once_; }
  // Of a file; how many come through a pipe is not known.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t position() const { return fetched_ - peeked_.size(); }
  // Of what was read.
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

  std::filesystem::path path_;
  Descriptor file_;
  Descriptor cancelled_;  // an eventfd, which can be read from then on
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

  // Fills `into`; fewer bytes come only at the end. Throws bad_input with the offset in the
  // compressed file where that is broken or cut.
  std::size_t read(std::span<char> into);
  // The next read begins with these.
  void put_back(std::span<const char> bytes);

  [[nodiscard]] InputFile& file() { return *file_; }
  [[nodiscard]] const InputFile& file() const { return *file_; }

 protected:
  virtual std::size_t decode(std::span<char> into) = 0;

 private:
  std::unique_ptr<InputFile> file_;
  std::vector<char> put_back_;
};

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);
// The reading end of a pipe, from now on the source's own, for messages called `name`.
std::unique_ptr<ByteSource> open_pipe(int fd, const std::filesystem::path& name);
// By the name's ending.
bool is_compressed(const std::filesystem::path& path);
// "edges.el.gz": "edges.el"
std::filesystem::path without_compression(const std::filesystem::path& path);

}  // namespace outcore
