// SPDX-License-Identifier: Apache-2.0
// For tests: breaks files of a layout on purpose, and checks the errors.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/container/hashed_file.h"

namespace outcore {

// Checks that the error of `call` contains `text`; returns its code.
inline std::optional<ExitCode> expect_error(const std::string& text,
                                            const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "expected an error with: " << text;
    return std::nullopt;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
    return error.code();
  }
}

inline void expect_error(ExitCode code, const std::string& text,
                         const std::function<void()>& call) {
  EXPECT_EQ(expect_error(text, call), code) << text;
}

inline void edit_json(const std::filesystem::path& path,
                      const std::function<void(nlohmann::json&)>& edit) {
  nlohmann::json json = read_json(path);
  edit(json);
  write_json_atomically(path, sealed(json));
}

// Overwrites the `index`-th T of a file of a layout or container, and updates its checksum in
// `manifest`.
template <typename T>
void put_sealed(const std::filesystem::path& manifest, const std::string& name, std::size_t index,
                T value) {
  const std::filesystem::path file = manifest.parent_path() / name;
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(index * sizeof(T)))
      .write(reinterpret_cast<const char*>(&value), sizeof(T));
  edit_json(manifest, [&](auto& json) { json["files"][name]["hash"] = hash_file(file); });
}

inline void flip_byte(const std::filesystem::path& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 1));
}

}  // namespace outcore
