// SPDX-License-Identifier: Apache-2.0
// A layout: adjacency as blocks on disk, as one choice of number x place x pack x codec x inline x
// heads (docs/architecture.md). Engines open a layout and nothing else of a container.
//
// Folder layouts/<name>/, all integers little-endian, format version 1:
//
//   layout.json   version, the choices, the facts below, size and xxh3 of every file, seconds that
//                 each phase of building took
//   out.index     id_space u64: bits 0..39 position of the list's first edge in the block file, in
//                 slots (block * slots_per_block + slot), bits 40..63 its degree, or kLongDegree
//                 when that does not fit: then out.long has it
//   out.long      pairs (u64 vertex, u64 degree), ascending by vertex
//   out.blocks    the blocks; with codec raw a block is slots_per_block u32 target ids; free slots
//                 hold kNoVertex
//   out.sums      u32 per block: checksum32 of its bytes
//   in.*          the same for in-edges, only of a directed graph
//   original      id_space u32: the canonical vertex of each layout id, kNoVertex for virtual ones;
//                 absent when number = original (layout id = canonical vertex)
//
// A list occupies slots [position, position + degree), which may run over block borders (pack csr
// cuts anywhere; firstfit only cuts lists longer than a block, which then start at slot 0 of a
// block). Each piece of a long list, one per block, decodes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/ids.h"
#include "storage/io/door.h"

namespace outcore {

inline constexpr int kLayoutVersion = 1;

// By name, as `--pack lplf:window=8,ranges=2` gives them.
using PackParameters = std::map<std::string, std::uint64_t>;

// What is chosen. Defaults are the plainest layout.
struct LayoutChoices {
  std::string number = "original";
  std::string place = "id";
  std::string pack = "firstfit";
  PackParameters pack_parameters;  // those not given have the pack's defaults
  std::string codec = "raw";
  unsigned inline_edges = 0;
  unsigned heads = 0;
  std::uint32_t block_bytes = 4096;
  friend bool operator==(const LayoutChoices&, const LayoutChoices&) = default;
};

// What engines size themselves by.
struct LayoutFacts {
  VertexId vertices = 0;  // real ones
  VertexId id_space = 0;  // ids are [0, id_space); virtual ones have no list
  EdgeIndex edges = 0;
  bool symmetric = false;
  std::uint32_t block_bytes = 4096;
  std::uint32_t slots_per_block = 1024;
  std::uint64_t blocks = 0;                    // of the out direction
  std::uint32_t most_vertices_in_a_block = 0;  // lists that begin or go on in one block
  std::uint64_t longest_list = 0;
  bool straddling = false;      // lists shorter than a block may be cut by a block border
  std::uint64_t raw_bytes = 0;  // 4 bytes an edge: what budgets given in % refer to
};

// Where a list lies.
struct ListAddress {
  std::uint64_t position = 0;  // slot of its first edge, counted over the whole block file
  std::uint64_t degree = 0;
};

// The part of a list that lies in one block.
struct BlockPart {
  BlockId block = 0;
  std::uint32_t slot = 0;  // within the block
  std::uint32_t count = 0;
  std::uint64_t first = 0;  // index within the list of the part's first edge
};

// In-memory index of one direction: 8 bytes a vertex.
class ListIndex {
 public:
  static constexpr std::uint64_t kPositionBits = 40;
  static constexpr std::uint64_t kLongDegree = (std::uint64_t{1} << 24) - 1;
  static constexpr std::uint64_t pack(std::uint64_t position, std::uint64_t degree) {
    return position | (degree < kLongDegree ? degree : kLongDegree) << kPositionBits;
  }

  ListIndex() = default;
  ListIndex(std::vector<std::uint64_t> entries,
            std::unordered_map<VertexId, std::uint64_t> long_degrees,
            std::uint32_t slots_per_block);

  [[nodiscard]] std::uint64_t degree(VertexId v) const {
    const std::uint64_t short_degree = entries_[v] >> kPositionBits;
    return short_degree < kLongDegree ? short_degree : long_degrees_.at(v);
  }
  [[nodiscard]] ListAddress address(VertexId v) const {
    return {entries_[v] & ((std::uint64_t{1} << kPositionBits) - 1), degree(v)};
  }
  [[nodiscard]] std::uint32_t slots_per_block() const { return slots_per_block_; }
  // First and last block of a list of at least one edge.
  [[nodiscard]] BlockId first_block(const ListAddress& list) const {
    return list.position / slots_per_block_;
  }
  [[nodiscard]] BlockId last_block(const ListAddress& list) const {
    return (list.position + list.degree - 1) / slots_per_block_;
  }
  [[nodiscard]] BlockPart part(const ListAddress& list, BlockId block) const {
    const std::uint64_t block_begin = block * slots_per_block_;
    const std::uint64_t begin = std::max(list.position, block_begin);
    const std::uint64_t end = std::min(list.position + list.degree, block_begin + slots_per_block_);
    return {block, static_cast<std::uint32_t>(begin - block_begin),
            static_cast<std::uint32_t>(end - begin), begin - list.position};
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return entries_.size() * 8; }

 private:
  std::vector<std::uint64_t> entries_;
  std::unordered_map<VertexId, std::uint64_t> long_degrees_;
  std::uint32_t slots_per_block_ = 1024;
};

// An opened layout: facts, indexes and block files with their sums; block data itself comes through
// a Door over block_files(). Opening reads the index and the sums and checks sizes and checksums.
class Layout {
 public:
  explicit Layout(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const nlohmann::json& manifest() const { return manifest_; }
  [[nodiscard]] const LayoutChoices& choices() const { return choices_; }
  [[nodiscard]] const LayoutFacts& facts() const { return facts_; }
  // `in` of a symmetric layout is `out`.
  [[nodiscard]] const ListIndex& index(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? in_ : out_;
  }
  // Number of the direction's file in block_files().
  [[nodiscard]] std::uint32_t file(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? 1 : 0;
  }
  [[nodiscard]] const std::vector<BlockFile>& block_files() const { return block_files_; }
  [[nodiscard]] bool is_real(VertexId v) const {
    return original_.empty() || original_[v] != kNoVertex;
  }
  // Canonical vertex of a layout id, and back.
  [[nodiscard]] VertexId original(VertexId v) const { return original_.empty() ? v : original_[v]; }
  // The whole table; empty when layout ids are canonical.
  [[nodiscard]] std::span<const VertexId> originals() const { return original_; }
  [[nodiscard]] VertexId from_original(VertexId canonical) const {
    return layout_of_.empty() ? canonical : layout_of_[canonical];
  }
  [[nodiscard]] std::uint64_t index_bytes() const;
  // Every file that a run of an engine reads, for residency and eviction.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  std::filesystem::path folder_;
  nlohmann::json manifest_;
  LayoutChoices choices_;
  LayoutFacts facts_;
  ListIndex out_;
  ListIndex in_;
  std::vector<BlockFile> block_files_;
  std::vector<VertexId> original_;
  std::vector<VertexId> layout_of_;  // the inverse of original_
};

// Builds a layout of the container in layouts/<name>; `name` empty: layout_name(choices). Throws
// usage errors for unknown or not yet combinable choices. Memory: at most 32 bytes a vertex, 16
// bytes a block and 16 MB; lists are read from the mapped CSR. Returns the name.
std::string build_layout(const std::filesystem::path& container, const LayoutChoices& choices,
                         const std::string& name, bool force);
// "csr", "cave", ... -> choices; throws unknown_name.
LayoutChoices layout_preset(const std::string& name);
// "lplf:window=16" -> pack and pack_parameters of `choices`; throws usage errors.
void set_pack(LayoutChoices& choices, const std::string& text);
// The preset or else the pack, and what differs from it or from the plainest layout: "firstfit",
// "csr-random-8K", "lplf-window16"; "cave", "cave-degree".
std::string layout_name(const LayoutChoices& choices, const std::string& preset = {});

// Throws bad_input that names the first broken place: checksums of files and blocks, every list
// decoded against the CSR of the container that the folder lies in, lists that overlap, slots that
// should be free, lists that are cut and should not be. Returns a line for each that held.
std::vector<std::string> check_layout(const std::filesystem::path& folder);

}  // namespace outcore
