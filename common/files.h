// SPDX-License-Identifier: Apache-2.0
// Files and folders that appear whole or not at all. What is being written stands under a temporary
// name beside its place and is renamed at the end; whatever throws or is killed leaves nothing that
// could be mistaken for a finished result, and the next writer sweeps the remains away.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace outcore {

// An owned file descriptor.
class File {
 public:
  File() = default;
  static File open_read(const std::filesystem::path& path, bool direct = false);
  static File create(const std::filesystem::path& path);
  // Of an existing file, to read it and to write in place.
  static File open_update(const std::filesystem::path& path, bool direct = false);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const;

  void write(std::span<const std::byte> bytes);                      // appends
  void read(std::span<std::byte> into, std::uint64_t offset) const;  // all or Error
  void write_at(std::span<const std::byte> bytes, std::uint64_t offset);

 private:
  File(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::filesystem::path path_;
};

// A folder under construction: `path()` is where to write; commit() moves it to its final place.
// Refuses an existing target unless `force`, which then replaces it in the moment of commit.
class PendingFolder {
 public:
  PendingFolder(std::filesystem::path target, bool force);
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path pending_;
  bool committed_ = false;
};

// Creates the folder that `path` lies in where it is missing; refuses a path that is a folder.
void make_parent_folder(const std::filesystem::path& path);
void write_text_atomically(const std::filesystem::path& path, const std::string& text);
void write_json_atomically(const std::filesystem::path& path, const nlohmann::json& json);

// Throws bad_input with the parser's place when the file is no JSON.
nlohmann::json read_json(const std::filesystem::path& path);

// The field `key`; bad_input that names file and field when it is missing or of another type.
template <typename T>
T json_field(const nlohmann::json& json, const std::string& key, const std::filesystem::path& path);
[[noreturn]] void throw_bad_field(const std::filesystem::path& path, const std::string& key,
                                  const std::string& why);

template <typename T>
T json_field(const nlohmann::json& json, const std::string& key,
             const std::filesystem::path& path) {
  try {
    return json.at(key).get<T>();
  } catch (const nlohmann::json::exception& e) {
    throw_bad_field(path, key, e.what());
  }
}

}  // namespace outcore
