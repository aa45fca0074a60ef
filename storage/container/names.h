// SPDX-License-Identifier: Apache-2.0
// Names of vertices: strings that an imported file has instead of numbers. Files of a container:
//
//   names.bytes    the names one after the other, in the order of the vertices; none is empty
//   names.offsets  n + 1 little-endian u64: where each name begins, in bytes
//   names.order    n little-endian u32: the vertices by ascending hash (xxh3) of their names, for
//                  finding a name; names with the same hash by ascending vertex
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

// The names of an opened graph. Refers to the container's mapping.
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

// Numbers names in the order of their arrival. Memory: the names (up to three times that while they
// grow) and about 32 bytes per name. Used by one thread.
class NameTable {
 public:
  NameTable();

  // The vertex of this name, a new one if the name is new. REQUIRES: `hash` is hash_of_name(name).
  VertexId vertex_of(std::string_view name, std::uint64_t hash);
  // Prefetches what vertex_of() will look at first.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
  [[nodiscard]] std::size_t size() const { return hashes_.size(); }

  // Writes the three files into `folder` and adds them to the table `files`.
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

  std::vector<Slot> slots_;  // a power of two, at most half of it used
  std::string bytes_;
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint64_t> hashes_;
};

}  // namespace outcore
