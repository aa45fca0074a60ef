// SPDX-License-Identifier: Apache-2.0
// What is chosen of a layout, and the facts that it publishes: plain data, which stand below the
// parts (parts.h) and the reader (layout.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/parameters.h"

namespace outcore {

// What the blocks of a layout hold.
enum class GraphKind : std::uint8_t { lists, edges };
// "lists" or "edges", as in layout.json.
std::string to_string(GraphKind kind);

// What is chosen. Defaults are the plainest layout.
struct LayoutChoices {
  std::string number = "original";
  std::string place = "id";
  std::string pack = "firstfit";
  Parameters pack_parameters = {};  // --pack lplf:window=8,ranges=2; none: the pack's defaults
  std::string codec = "raw";
  // Which lists stand in the index, and in which of its forms (list_index.h).
  unsigned inline_edges = 0;
  bool mini_data = false;
  unsigned heads = 0;  // neighbours of each vertex in a column of their own
  // none; hashed: of the canonical end points, as programs make them where none are stored; given:
  // those of the graph.
  std::string weights = "none";
  std::uint32_t block_bytes = 4096;
  friend bool operator==(const LayoutChoices&, const LayoutChoices&) = default;
};

// Part of the blocks that is cut into chunks of its own size (ChunkGraph's levels).
struct ChunkLevel {
  std::uint64_t chunk_bytes = 0;
  BlockId first_block = 0;
  BlockId end_block = 0;
  friend bool operator==(const ChunkLevel&, const ChunkLevel&) = default;
};

// The eight facts that every kind of opened graph has.
struct CommonFacts {
  VertexId vertices = 0;  // real ones
  VertexId id_space = 0;  // ids are [0, id_space); virtual ones have no list
  EdgeIndex edges = 0;
  bool symmetric = false;
  bool weighted = false;   // the graph's edges have weights, stored here or not
  float least_weight = 0;  // of those stored here, if they are the graph's
  std::uint32_t block_bytes = 4096;
  std::uint64_t raw_bytes = 0;  // 4 bytes an edge: what budgets given in % refer to
  friend bool operator==(const CommonFacts&, const CommonFacts&) = default;
};

// What engines of lists size themselves by.
struct LayoutFacts : CommonFacts {
  std::uint32_t slots_per_block = 1024;
  std::uint64_t blocks = 0;                    // of the out direction
  std::uint32_t most_vertices_in_a_block = 0;  // lists that begin or go on in one block
  std::uint64_t longest_list = 0;
  bool straddling = false;  // lists shorter than a block may be cut by a block border
  // Edges that stand in the index, both directions together.
  EdgeIndex inline_edges = 0;
  // Of the out direction in form mini-data: the first id of each degree, from 0 to `inline`.
  std::vector<VertexId> theta;
  std::vector<ChunkLevel> out_levels;  // of pack chunks
  std::vector<ChunkLevel> in_levels;
};

// "csr", "cave", ... -> choices; throws unknown_name.
LayoutChoices layout_preset(const std::string& name);
// "lplf:window=16" -> pack and pack_parameters of `choices`; throws usage errors.
void set_pack(LayoutChoices& choices, const std::string& text);
// "2", "in-index:2" or "mini-data:2" -> inline choices; throws usage errors.
void set_inline(LayoutChoices& choices, const std::string& text);
// The preset or else the pack, and what differs from it or from the plainest layout: "firstfit",
// "csr-random-8K", "lplf-window16"; "cave", "cave-degree".
std::string layout_name(const LayoutChoices& choices, const std::string& preset = {});
// With every parameter of the pack set. Throws usage errors for choices that do not exist or do not
// go together.
LayoutChoices complete_choices(LayoutChoices choices);

}  // namespace outcore
