// SPDX-License-Identifier: Apache-2.0
// Names of vertices: strings that an imported file has in place of numbers. Files of a container:
//
//   names.bytes    the names one after the other, in the order of the vertices; none is empty
//   names.offsets  n + 1 little-endian u64: where each name begins, in bytes
//   names.order    n little-endian u32: the vertices by ascending hash (xxh3) of their names, by
//                  which a name is found; names with the same hash by ascending vertex
//
// Vertices are numbered in the order in which the file first names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"

namespace outcore {

std::uint64_t hash_of_name(std::string_view name);

// The names of a graph that was opened. Borrows the container's mapping.
class Names {
 public:
  Names() = default;
  Names(std::span<const char> bytes, std::span<const std::uint64_t> offsets,
        std::span<const VertexId> order)
      : bytes_(bytes), offsets_(offsets), order_(order) {}

  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  [[nodiscard]] std::string_view operator[](VertexId v) const {
    return {bytes_.data() + offsets_[v], offsets_[v + 1] - offsets_[v]};
  }
  [[nodiscard]] std::optional<VertexId> find(std::string_view name) const;
  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return offsets_; }
  [[nodiscard]] std::span<const VertexId> order() const { return order_; }

 private:
  std::span<const char> bytes_;
  std::span<const std::uint64_t> offsets_;
  std::span<const VertexId> order_;
};

// Numbers names as they come. Memory: the names (while they grow up to three times that) and about
// 32 bytes a name. Used by one thread.
class NameTable {
 public:
  NameTable();

  // The vertex of this name, a new one if it is new. `hash` is hash_of_name(name).
  VertexId vertex_of(std::string_view name, std::uint64_t hash);
  // Fetches what vertex_of() will look at first.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
  [[nodiscard]] std::size_t size() const { return hashes_.size(); }

  // Writes the three files into `folder` and enters them in the table `files`.
  void write(const std::filesystem::path& folder, nlohmann::json& files) const;

 private:
  struct Slot {
    std::uint32_t tag = 0;  // the upper half of the hash
    VertexId vertex = kNoVertex;
  };
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::string_view name(VertexId v) const {
    return std::string_view(bytes_).substr(offsets_[v], offsets_[v + 1] - offsets_[v]);
  }
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most half of them taken
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint64_t> hashes_;
};

}  // namespace outcore
