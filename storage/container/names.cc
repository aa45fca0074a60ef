// SPDX-License-Identifier: Apache-2.0
#include "storage/container/names.h"

#include <algorithm>
#include <numeric>

#include "common/hash.h"
#include "storage/container/hashed_file.h"

namespace outcore {

std::uint64_t hash_of_name(std::string_view name) {
  return hash_bytes(std::as_bytes(std::span(name.data(), name.size())));
}

std::optional<VertexId> Names::find(std::string_view name) const {
  const std::uint64_t hash = hash_of_name(name);
  auto at = std::partition_point(order_.begin(), order_.end(),
                                 [&](VertexId v) { return hash_of_name((*this)[v]) < hash; });
  for (; at != order_.end() && hash_of_name((*this)[*at]) == hash; ++at) {
    if ((*this)[*at] == name) return *at;
  }
  return std::nullopt;
}

NameTable::NameTable() : slots_(std::size_t{1} << 16) {}

VertexId NameTable::vertex_of(std::string_view text, std::uint64_t hash) {
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & mask();
  for (; slots_[at].vertex != kNoVertex; at = (at + 1) & mask()) {
    if (slots_[at].tag == tag && name(slots_[at].vertex) == text) return slots_[at].vertex;
  }
  const auto vertex = static_cast<VertexId>(hashes_.size());
  slots_[at] = {tag, vertex};
  bytes_ += text;
  offsets_.push_back(bytes_.size());
  hashes_.push_back(hash);
  if (2 * hashes_.size() > slots_.size()) grow();
  return vertex;
}

void NameTable::grow() {
  slots_.assign(2 * slots_.size(), Slot());
  for (std::size_t v = 0; v < hashes_.size(); ++v) {
    std::size_t at = hashes_[v] & mask();
    while (slots_[at].vertex != kNoVertex) at = (at + 1) & mask();
    slots_[at] = {static_cast<std::uint32_t>(hashes_[v] >> 32), static_cast<VertexId>(v)};
  }
}

void NameTable::write(const std::filesystem::path& folder, nlohmann::json& files) const {
  const auto write_all = [&](const char* file, std::span<const std::byte> bytes) {
    HashedFile out(folder / file);
    out.write(bytes);
    files[file] = out.finish();
  };
  std::vector<VertexId> order(hashes_.size());
  std::iota(order.begin(), order.end(), VertexId{0});
  std::sort(order.begin(), order.end(), [&](VertexId a, VertexId b) {
    return hashes_[a] < hashes_[b] || (hashes_[a] == hashes_[b] && a < b);
  });
  write_all("names.bytes", std::as_bytes(std::span(bytes_)));
  write_all("names.offsets", std::as_bytes(std::span(offsets_)));
  write_all("names.order", std::as_bytes(std::span(order)));
}

}  // namespace outcore
