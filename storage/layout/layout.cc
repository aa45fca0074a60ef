// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/layout.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/manifest.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// A file of `count` Ts, read whole, its size and checksum checked.
template <typename T>
std::vector<T> read_checked(const fs::path& folder, const std::string& name, std::uint64_t count,
                            const nlohmann::json& manifest) {
  const nlohmann::json entry = file_entry(manifest, name, folder / "layout.json");
  check_file_size(folder / name, entry, count * sizeof(T));
  std::vector<T> values(count);
  const auto bytes = std::as_writable_bytes(std::span(values));
  File::open_read(folder / name).read(bytes, 0);
  const std::string found = hash_text(hash_bytes(bytes));
  const auto expected = json_field<std::string>(entry, "hash", folder / name);
  if (found != expected) {
    throw bad_input(Place::file(folder / name), "checksum " + found, expected,
                    "build the layout again");
  }
  return values;
}

std::uint64_t file_bytes(const fs::path& folder, const std::string& name,
                         const nlohmann::json& manifest) {
  const nlohmann::json entry = file_entry(manifest, name, folder / "layout.json");
  return json_field<std::uint64_t>(entry, "bytes", folder / "layout.json");
}

ListIndex read_index(const fs::path& folder, const std::string& prefix, const LayoutFacts& facts,
                     const nlohmann::json& manifest) {
  auto entries = read_checked<std::uint64_t>(folder, prefix + ".index", facts.id_space, manifest);
  const std::string long_name = prefix + ".long";
  const auto pairs = read_checked<std::uint64_t>(
      folder, long_name, file_bytes(folder, long_name, manifest) / 16 * 2, manifest);
  std::unordered_map<VertexId, std::uint64_t> long_degrees;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    long_degrees.emplace(static_cast<VertexId>(pairs[i]), pairs[i + 1]);
  }
  return {std::move(entries), std::move(long_degrees), facts.slots_per_block};
}

BlockFile read_sums(const fs::path& folder, const std::string& prefix, const LayoutFacts& facts,
                    const nlohmann::json& manifest) {
  const std::string name = prefix + ".blocks";
  const std::uint64_t blocks = file_bytes(folder, name, manifest) / facts.block_bytes;
  check_file_size(folder / name, file_entry(manifest, name, folder / "layout.json"),
                  blocks * facts.block_bytes);
  return {folder / name, facts.block_bytes,
          read_checked<std::uint32_t>(folder, prefix + ".sums", blocks, manifest)};
}

}  // namespace

ListIndex::ListIndex(std::vector<std::uint64_t> entries,
                     std::unordered_map<VertexId, std::uint64_t> long_degrees,
                     std::uint32_t slots_per_block)
    : entries_(std::move(entries)),
      long_degrees_(std::move(long_degrees)),
      slots_per_block_(slots_per_block) {}

Layout::Layout(fs::path folder) : folder_(std::move(folder)) {
  const fs::path path = folder_ / "layout.json";
  if (!fs::exists(path)) {
    throw bad_input(Place::file(folder_), "no layout.json", "the folder of a layout",
                    "'outcore layout' makes one");
  }
  manifest_ = read_json(path);
  choices_ = choices_from_manifest(manifest_, path);
  facts_ = facts_from_manifest(manifest_, path);
  out_ = read_index(folder_, "out", facts_, manifest_);
  block_files_.push_back(read_sums(folder_, "out", facts_, manifest_));
  if (!facts_.symmetric) {
    in_ = read_index(folder_, "in", facts_, manifest_);
    block_files_.push_back(read_sums(folder_, "in", facts_, manifest_));
  }
  if (choices_.number == "original") return;
  original_ = read_checked<VertexId>(folder_, "original", facts_.id_space, manifest_);
  layout_of_.assign(facts_.vertices, kNoVertex);
  for (VertexId id = 0; id < facts_.id_space; ++id) {
    if (original_[id] < facts_.vertices) layout_of_[original_[id]] = id;
  }
}

std::uint64_t Layout::index_bytes() const {
  std::uint64_t bytes = out_.memory_bytes() + in_.memory_bytes() +
                        (original_.size() + layout_of_.size()) * sizeof(VertexId);
  for (const BlockFile& file : block_files_) bytes += file.sums.size() * sizeof(std::uint32_t);
  return bytes;
}

std::vector<fs::path> Layout::files() const {
  std::vector<fs::path> files;
  const auto table = json_field<nlohmann::json>(manifest_, "files", folder_ / "layout.json");
  for (const auto& [name, entry] : table.items()) files.push_back(folder_ / name);
  return files;
}

}  // namespace outcore
