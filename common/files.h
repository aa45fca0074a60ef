// SPDX-License-Identifier: Apache-2.0
// Files and folders that appear whole or not at all. They are written under a temporary name in the
// same folder and renamed at the end. If the writer throws or is killed, nothing is left that looks
// like a finished result, and the next writer removes the remains.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace outcore {

// An owned file descriptor.
class File {
 public:
  File() = default;
  static File open_read(const std::filesystem::path& path, bool direct = false);
  // An empty file; an existing one is emptied. Throws if the name is a link.
  static File create(const std::filesystem::path& path);
  // Throws if anything has this name already, even a link that leads nowhere.
  static File create_new(const std::filesystem::path& path);
  static File standard_output();
  // A nameless file in `folder`, to read and write. It disappears when its descriptor is closed.
  static File create_nameless(const std::filesystem::path& folder);
  // Opens an existing file to read it and to write in place.
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
  void read(std::span<std::byte> into, std::uint64_t offset) const;  // all of it, or Error
  void write_at(std::span<const std::byte> bytes, std::uint64_t offset);

 private:
  File(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::filesystem::path path_;
};

// The descriptor of a nameless file; -1 with errno set when none can be made.
int open_nameless(const std::filesystem::path& folder, bool direct = false);

// A folder under construction: `path()` is where to write; commit() moves it to its final place.
// An existing target is refused. With `force`, commit() replaces it if it is empty or one of ours:
// its file `mark` is a manifest, and it holds nothing else but the files that the manifest lists
// and the folder `layouts`. No other folder is ever deleted. A folder "<target>.pending" that is
// empty or has the file kPendingMark was left by a writer that was killed, and is removed. Another
// belongs to the user, and is refused.
class PendingFolder {
 public:
  // Throws what the constructor would throw for a target that is there.
  static void check(const std::filesystem::path& target, const std::string& mark, bool force);
  PendingFolder(std::filesystem::path target, const std::string& mark, bool force);
  ~PendingFolder();
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  // Durable when it returns: files and folders are synced before and after the folder moves.
  void commit();

  static constexpr const char* kPendingMark = ".outcore-pending";

 private:
  std::filesystem::path target_;
  std::filesystem::path pending_;
};

// The file that is written under the name `path`. If `path` is a link, it is the file that the link
// leads to, which need not exist yet. Throws a usage Error for two things: for what exists and is
// not a regular file, because the new file would take its place; and for the file that standard
// output goes to, under any name.
std::filesystem::path file_to_write(const std::filesystem::path& path);

// A file under construction: commit() renames it to file_to_write(path). The folder is made if it
// is missing. Until then it is called "<name>.pending-<process>", so processes that write the same
// file do not disturb each other. If another user puts something under that name, such as a link,
// it is not written to.
class PendingFile {
 public:
  explicit PendingFile(const std::filesystem::path& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return pending_; }
  [[nodiscard]] File& file() { return file_; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path pending_;
  File file_;
};

// Throws what writing a file at `path` would throw. Call it before a long run.
void check_writable(const std::filesystem::path& path);
void write_text_atomically(const std::filesystem::path& path, const std::string& text);
void write_json_atomically(const std::filesystem::path& path, const nlohmann::json& json);

// Throws bad_input with the parser's position when the file is not JSON, or not a JSON object.
nlohmann::json read_json(const std::filesystem::path& path);

// Does get<T>() keep the whole value of `json`? It truncates integers: 2^32 + 5 would become 5
// vertices.
template <typename T>
struct HoldsWhole {
  static bool test(const nlohmann::json& json) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      if (json.is_number_unsigned()) return std::in_range<T>(json.get<std::uint64_t>());
      return json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
    }
    return true;
  }
};
template <typename T>
struct HoldsWhole<std::vector<T>> {
  static bool test(const nlohmann::json& json) {
    return std::all_of(json.begin(), json.end(), HoldsWhole<T>::test);
  }
};
template <typename T>
struct HoldsWhole<std::map<std::string, T>> {
  static bool test(const nlohmann::json& json) {
    return std::all_of(json.begin(), json.end(), HoldsWhole<T>::test);
  }
};

// The field `key`. Throws bad_input with file and field when the field is missing, has another
// type, or holds a number that does not fit T. `within` is the part of the file that `json` is, for
// the message: "files/".
template <typename T>
T json_field(const nlohmann::json& json, const std::string& key, const std::filesystem::path& path,
             const std::string& within = {});
[[noreturn]] void throw_bad_field(const std::filesystem::path& path, const std::string& key,
                                  const std::string& why);

template <typename T>
T json_field(const nlohmann::json& json, const std::string& key, const std::filesystem::path& path,
             const std::string& within) {
  try {
    const nlohmann::json& field = json.at(key);
    if (!HoldsWhole<T>::test(field)) {
      throw_bad_field(path, within + key,
                      "expected a whole number in range, found " + field.dump());
    }
    return field.get<T>();
  } catch (const nlohmann::json::exception& e) {
    throw_bad_field(path, within + key, e.what());
  }
}

}  // namespace outcore
