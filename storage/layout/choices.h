// SPDX-License-Identifier: Apache-2.0
// The choices of a layout, and the facts that it publishes. Plain data, on the floor below the
// parts (parts.h) and the reader (layout.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/parameters.h"

namespace outcore {

// What a layout's blocks hold, or a store for a graph that changes (storage/evolving/).
enum class GraphKind : std::uint8_t { lists, edges, store };
// "lists" or "edges", as in layout.json; "store".
std::string to_string(GraphKind kind);

// The choices. The defaults are the plainest layout.
struct LayoutChoices {
  std::string number = "original";
  std::string place = "id";
  std::string pack = "firstfit";
  Parameters pack_parameters = {};  // --pack lplf:window=8,ranges=2; empty: the pack's defaults
  std::string codec = "raw";
  // Lists of up to this many edges are in the index, in one of two forms (list_index.h).
  unsigned inline_edges = 0;
  bool mini_data = false;
  unsigned heads = 0;  // neighbours of each vertex in a column of their own
  // none; hashed: from the canonical end points, as programs compute them if none are stored;
  // given: those of the graph.
  std::string weights = "none";
  std::uint32_t block_bytes = 4096;
  friend bool operator==(const LayoutChoices&, const LayoutChoices&) = default;
};

// Part of the blocks that is divided into chunks of its own size (ChunkGraph's levels).
struct ChunkLevel {
  std::uint64_t chunk_bytes = 0;
  BlockId first_block = 0;
  BlockId end_block = 0;
  friend bool operator==(const ChunkLevel&, const ChunkLevel&) = default;
};

// The facts that every kind of opened graph has.
struct CommonFacts {
  VertexId vertices = 0;  // without virtual ones
  VertexId id_space = 0;  // ids are [0, id_space); virtual ones have no list
  EdgeIndex edges = 0;
  bool symmetric = false;
  bool weighted = false;   // the graph's edges have weights, stored here or not
  float least_weight = 0;  // of those stored here, if they are the graph's own
  std::uint32_t block_bytes = 4096;
  std::uint64_t raw_bytes = 0;  // 4 bytes per edge: what budgets in % refer to
  friend bool operator==(const CommonFacts&, const CommonFacts&) = default;
};

// The facts by which engines of lists size themselves.
struct LayoutFacts : CommonFacts {
  std::uint32_t slots_per_block = 1024;
  std::uint64_t blocks = 0;                    // of the out direction
  std::uint32_t most_vertices_in_a_block = 0;  // lists that begin or continue in it
  std::uint64_t longest_list = 0;
  bool straddling = false;  // a block border may cut a list shorter than a block
  // Edges in the index, both directions together.
  EdgeIndex inline_edges = 0;
  // For the out direction in form mini-data: the first id of each degree, from 0 to `inline`.
  std::vector<VertexId> theta;
  std::vector<ChunkLevel> out_levels;  // only pack chunks
  std::vector<ChunkLevel> in_levels;
};

// Choices of the preset "csr", "cave", ...; throws unknown_name.
LayoutChoices layout_preset(const std::string& name);
// Sets pack and pack_parameters of `choices` from "lplf:window=16". Throws usage errors.
void set_pack(LayoutChoices& choices, const std::string& text);
// Sets the inline choices from "2", "in-index:2" or "mini-data:2". Throws usage errors.
void set_inline(LayoutChoices& choices, const std::string& text);
// The preset or else the pack, followed by what differs from it or from the plainest layout:
// "firstfit", "csr-random-8K", "lplf-window16"; "cave", "cave-degree".
std::string layout_name(const LayoutChoices& choices, const std::string& preset = {});
// The choices with every parameter of the pack set. Throws usage errors for choices that do not
// exist or that exclude each other.
LayoutChoices complete_choices(LayoutChoices choices);

}  // namespace outcore
