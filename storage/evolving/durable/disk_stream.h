// SPDX-License-Identifier: Apache-2.0
// Files of a Disk from front to back, hashed on the way, in pieces of 1 MB: for the files of runs.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/hash.h"
#include "storage/evolving/durable/disk.h"

namespace outcore::evolving {

class DiskWriter {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  DiskWriter(Disk& disk, const std::string& name) : file_(disk.create(name, 0)) {}
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { write(std::as_bytes(std::span(&value, 1))); }
  void write(std::span<const std::byte> bytes);
  // Writes what is buffered and syncs the file. Returns its entry for a "files" table.
  nlohmann::json finish();
  [[nodiscard]] std::uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  void flush();

  std::unique_ptr<DiskFile> file_;
  StreamHash hash_;
  std::vector<std::byte> buffer_;
  std::uint64_t written_ = 0;
};

class DiskReader {
 public:
  // `entry` is the file's in the "files" table.
  DiskReader(Disk& disk, const std::string& name, const nlohmann::json& entry);
  // The next `bytes` bytes, valid until the next call. Throws bad_input if there are fewer. With
  // the last byte the hash is compared.
  std::span<const std::byte> take(std::size_t bytes);
  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // Leaves out the next `bytes` bytes. If they are not read, the hash cannot be compared any more.
  void skip(std::uint64_t bytes);
  [[nodiscard]] bool at_end() const { return given_ == size_; }
  [[nodiscard]] std::uint64_t given() const { return given_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void check_hash();

  std::filesystem::path path_;
  std::unique_ptr<DiskFile> file_;
  std::string expected_;  // empty after skip()
  StreamHash hash_;
  std::uint64_t size_;
  std::uint64_t given_ = 0;
  std::uint64_t read_ = 0;
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;  // in the buffer
};

// A small file, whole.
std::string read_whole(Disk& disk, const std::string& name);
// A new file, synced.
void write_whole(Disk& disk, const std::string& name, const std::string& text);

}  // namespace outcore::evolving
