// SPDX-License-Identifier: Apache-2.0
// A file that is written from front to back and appears whole with commit() (PendingFile in
// common/files.h). The name "-" means standard output, which gets the bytes at once. One thread
// uses it; it buffers 1 MiB.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/files.h"

namespace outcore {

class OutputFile {
 public:
  // Refuses an existing file unless `force` is set, and anything that is not a regular file.
  OutputFile(const std::filesystem::path& target, bool force);
  // Writes into an open file.
  explicit OutputFile(File file) : open_(std::move(file)) {}

  // Inlined: answers are written value by value.
  void write(std::span<const std::byte> bytes) {
    if (bytes.size() > kBuffer - used_) return write_on(bytes);
    std::memcpy(&buffer_[used_], bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void put(T value) { write(std::as_bytes(std::span(&value, 1))); }
  void text(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void number(std::uint64_t value) {
    std::array<char, 20> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  void number(float value) {  // with the fewest digits that give it back
    std::array<char, 32> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  void commit();
  [[nodiscard]] File& file() { return pending_ ? pending_->file() : open_; }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;

  void write_on(std::span<const std::byte> bytes);  // what the buffer has no room for
  void flush();

  std::optional<PendingFile> pending_;  // unset: `open_` is written, perhaps standard output
  File open_;
  std::unique_ptr<std::byte[]> buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
  std::size_t used_ = 0;  // of the buffer
};

}  // namespace outcore
