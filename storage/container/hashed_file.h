// SPDX-License-Identifier: Apache-2.0
// A file that is written from front to back and hashed on the way, for the "files" table of
// graph.json and layout.json: {"bytes": 4096, "hash": "xxh3:..."}. Buffers `kBufferBytes`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "common/files.h"
#include "common/hash.h"

namespace outcore {

class HashedFile {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

  explicit HashedFile(const std::filesystem::path& path);

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void write(std::span<const std::byte> bytes);
  // Writes out what is buffered. Nothing may be put afterwards.
  nlohmann::json finish();

 private:
  void flush();

  File file_;
  StreamHash hash_;
  std::vector<std::byte> buffer_;
  std::uint64_t bytes_ = 0;
};

// The manifest (graph.json or layout.json) with a checksum of itself under "seal".
nlohmann::json sealed(nlohmann::json manifest);
// Throws bad_input if the manifest read from `path` does not match its seal.
void check_seal(const nlohmann::json& manifest, const std::filesystem::path& path);
// Throws bad_input with `advice` unless the manifest read from `path` has this version.
void check_version(const nlohmann::json& manifest, const std::filesystem::path& path, int version,
                   const char* advice);

// The names in the "files" table of the manifest at `path`. Throws bad_input for names that lead
// out of its folder.
std::vector<std::string> file_names(const nlohmann::json& manifest,
                                    const std::filesystem::path& path);
// The entry of `name` in the "files" table of the manifest at `path`.
nlohmann::json file_entry(const nlohmann::json& manifest, const std::string& name,
                          const std::filesystem::path& path);
// Throws bad_input unless every entry of that table has its size and, except for values on edges,
// its checksum. Called when a manifest is read, so that later code need not check.
void check_file_table(const nlohmann::json& manifest, const std::filesystem::path& path);

// Throws bad_input if the file's size is not the one in `entry`, or not `expected_bytes`, which
// follows from the counts in the manifest.
void check_file_size(const std::filesystem::path& path, const nlohmann::json& entry,
                     std::uint64_t expected_bytes);
// The same for the contents; reads the whole file.
void check_file_hash(const std::filesystem::path& path, const nlohmann::json& entry);

}  // namespace outcore
