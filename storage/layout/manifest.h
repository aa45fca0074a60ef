// SPDX-License-Identifier: Apache-2.0
// Converts choices and facts to layout.json and back. Reading throws bad_input for choices and
// values that this program does not know.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/choices.h"

namespace outcore {

inline constexpr int kLayoutVersion = 5;

// The kind of the folder's blocks.
GraphKind layout_kind(const nlohmann::json& manifest, const std::filesystem::path& path);
nlohmann::json choices_json(const LayoutChoices& choices);
nlohmann::json common_facts_json(const CommonFacts& facts);
nlohmann::json facts_json(const LayoutFacts& facts);
// REQUIRES: the caller has checked the version.
LayoutChoices choices_from_manifest(const nlohmann::json& manifest,
                                    const std::filesystem::path& path);
CommonFacts common_facts_from_manifest(const nlohmann::json& manifest,
                                       const std::filesystem::path& path);
LayoutFacts facts_from_manifest(const nlohmann::json& manifest, const std::filesystem::path& path);

// Throws bad_input unless the manifest lists the files of the layout and those of its graph.
void check_tables(const nlohmann::json& manifest, const std::filesystem::path& path);

// Throws bad_input unless `found`, the hash of the file at `path`, is the one in `entry` of the
// manifest.
void check_hash(std::uint64_t found, const std::filesystem::path& path,
                const nlohmann::json& entry);

// Reads a file of `count` Ts of the layout in `folder`. Throws bad_input unless its size and
// checksum are those in the manifest.
template <typename T>
std::vector<T> read_checked(const std::filesystem::path& folder, const std::string& name,
                            std::uint64_t count, const nlohmann::json& manifest) {
  const nlohmann::json entry = file_entry(manifest, name, folder / "layout.json");
  check_file_size(folder / name, entry, count * sizeof(T));
  std::vector<T> values(count);
  const auto bytes = std::as_writable_bytes(std::span(values));
  File::open_read(folder / name).read(bytes, 0);
  check_hash(hash_bytes(bytes), folder / name, entry);
  return values;
}

}  // namespace outcore
