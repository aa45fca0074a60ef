// SPDX-License-Identifier: Apache-2.0
#include "storage/container/hashed_file.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

namespace {

constexpr const char* kSeal = "seal";

std::string seal_of(nlohmann::json manifest) {
  manifest.erase(kSeal);
  const std::string text = manifest.dump();
  return hash_text(hash_bytes(std::as_bytes(std::span(text))));
}

}  // namespace

HashedFile::HashedFile(const std::filesystem::path& path) : file_(File::create(path)) {
  buffer_.reserve(kBufferBytes + sizeof(std::uint64_t));
}

void HashedFile::write(std::span<const std::byte> bytes) {
  if (bytes.size() < kBufferBytes - buffer_.size()) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return;
  }
  flush();
  hash_.add(bytes);
  file_.write(bytes);
  bytes_ += bytes.size();
}

void HashedFile::flush() {
  hash_.add(buffer_);
  file_.write(buffer_);
  bytes_ += buffer_.size();
  buffer_.clear();
}

nlohmann::json HashedFile::finish() {
  flush();
  return {{"bytes", bytes_}, {"hash", hash_text(hash_.value())}};
}

nlohmann::json sealed(nlohmann::json manifest) {
  manifest[kSeal] = seal_of(manifest);
  return manifest;
}

void check_seal(const nlohmann::json& manifest, const std::filesystem::path& path) {
  const auto found = json_field<std::string>(manifest, kSeal, path);
  if (found == seal_of(manifest)) return;
  throw bad_input(Place::file(path), "seal " + found, seal_of(manifest),
                  "the file was changed; build it again");
}

void check_version(const nlohmann::json& manifest, const std::filesystem::path& path, int version,
                   const char* advice) {
  const auto found = json_field<int>(manifest, "version", path);
  if (found == version) return;
  throw bad_input(Place::file(path), fmt::format("version {}", found),
                  fmt::format("version {}", version), advice);
}

std::vector<std::string> file_names(const nlohmann::json& manifest,
                                    const std::filesystem::path& path) {
  std::vector<std::string> names;
  const auto table = json_field<nlohmann::json>(manifest, "files", path);
  for (const auto& [name, entry] : table.items()) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
      throw bad_input(Place::file(path), fmt::format("a file '{}'", name),
                      "the plain name of a file", "build the graph or layout again");
    }
    names.push_back(name);
  }
  return names;
}

nlohmann::json file_entry(const nlohmann::json& manifest, const std::string& name,
                          const std::filesystem::path& path) {
  return json_field<nlohmann::json>(json_field<nlohmann::json>(manifest, "files", path), name, path,
                                    "files/");
}

void check_file_table(const nlohmann::json& manifest, const std::filesystem::path& path) {
  for (const std::string& name : file_names(manifest, path)) {
    const nlohmann::json entry = file_entry(manifest, name, path);
    const std::string within = fmt::format("files/{}/", name);
    json_field<std::uint64_t>(entry, "bytes", path, within);
    // Values on edges change all the time and have checksums of their own.
    if (!name.starts_with("values.")) json_field<std::string>(entry, "hash", path, within);
  }
}

void check_file_size(const std::filesystem::path& path, const nlohmann::json& entry,
                     std::uint64_t expected_bytes) {
  const std::uint64_t bytes = File::open_read(path).size();
  const auto recorded = json_field<std::uint64_t>(entry, "bytes", path);
  if (bytes != recorded || bytes != expected_bytes) {
    throw bad_input(Place::file(path), fmt::format("{} bytes", bytes),
                    fmt::format("{} bytes", bytes != expected_bytes ? expected_bytes : recorded),
                    "the file was cut or changed; build it again");
  }
}

void check_file_hash(const std::filesystem::path& path, const nlohmann::json& entry) {
  const auto expected = json_field<std::string>(entry, "hash", path);
  const std::string found = hash_file(path);
  if (found != expected) {
    throw bad_input(Place::file(path), "checksum " + found, expected,
                    "the file was changed; build it again");
  }
}

}  // namespace outcore
