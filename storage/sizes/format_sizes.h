// SPDX-License-Identifier: Apache-2.0
// What a whole graph would take on disk in the formats that LOSC compares (Fig. 11a), counted from
// its lists without writing anything. Weights are left out, as there.
//
//   edge list   GridGraph: 8 bytes an edge
//   CSR         FlashGraph, LOSC without compression: 4 bytes an edge, and offsets of 8 bytes
//   LOSC        in- and out-lists in codec varint, which is LOSC's; of an undirected graph one of
//               both, which are the same; offsets as CSR
//   Ligra+      in- and out-lists as ligra_plus_list_bytes(), of an undirected graph one of both;
//               offsets as CSR, and a degree of 4 bytes
//   G-Store     (Kumar, Huang, SC 2016) tiles of 65,536 x 65,536 vertices, in which an edge is two
//               ids of 2 bytes; of an undirected graph only the edges whose source is not above
//               their target, of a directed one only the out-edges. An offset of 8 bytes a tile
//
// A graph is undirected here when it is stored symmetric, so its edges count both ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/layout/parts.h"

namespace outcore {

struct FormatSize {
  std::string name;
  std::string help;
  std::uint64_t edge_bytes = 0;
  std::uint64_t index_bytes = 0;
  [[nodiscard]] std::uint64_t total() const { return edge_bytes + index_bytes; }
};

// Both directions of a graph in one numbering; `in` of a symmetric graph is `out`.
struct NumberedLists {
  NumberedGraph out;
  NumberedGraph in;
  bool symmetric = false;
};

// Reads every list once a format, with `threads`. Memory: the longest list for each thread.
std::vector<FormatSize> format_sizes(const NumberedLists& lists, unsigned threads);

// Bytes of all lists of one direction, by codec of the layouts: counts, and what blocks add, not
// included.
struct CodecSize {
  std::string codec;
  std::uint64_t bytes = 0;
};
std::vector<CodecSize> codec_sizes(const NumberedGraph& lists, unsigned threads);

}  // namespace outcore
