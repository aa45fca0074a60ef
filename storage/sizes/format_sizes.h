// SPDX-License-Identifier: Apache-2.0
// The size of a whole graph on disk in the formats that LOSC compares (Fig. 11a), computed from its
// lists without writing anything. Weights are not counted, as in the paper.
//
//   edge list   GridGraph: 8 bytes per edge
//   CSR         FlashGraph, LOSC without compression: 4 bytes per edge, and offsets of 8 bytes
//   LOSC        in- and out-lists in codec varint, which is LOSC's; for an undirected graph only
//               one of the two, because they are equal; offsets as in CSR
//   Ligra+      in- and out-lists as in ligra_plus_list_bytes(), for an undirected graph only one;
//               offsets as in CSR, and a degree of 4 bytes
//   G-Store     (Kumar, Huang, SC 2016) tiles of 65,536 x 65,536 vertices, in which an edge is two
//               ids of 2 bytes; for an undirected graph only the edges whose source is at most
//               their target, for a directed graph only the out-edges. An offset of 8 bytes per
//               tile
//
// A graph counts as undirected if it is stored symmetric; then its edges count in both directions.
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

// Both directions of a graph in one numbering; in a symmetric graph `in` is `out`.
struct NumberedLists {
  NumberedGraph out;
  NumberedGraph in;
  bool symmetric = false;
};

// Reads every list once per format, with `threads`. Memory: the longest list for each thread.
std::vector<FormatSize> format_sizes(const NumberedLists& lists, unsigned threads);

// The bytes of all lists of one direction in a codec of the layouts, without counts and without
// what blocks add.
struct CodecSize {
  std::string codec;
  std::uint64_t bytes = 0;
};
std::vector<CodecSize> codec_sizes(const NumberedGraph& lists, unsigned threads);

}  // namespace outcore
