// SPDX-License-Identifier: Apache-2.0
// A layout: adjacency as blocks on disk, as one choice of number x place x pack x codec x inline x
// heads x weights (docs/architecture.md). Engines open a layout and nothing else of a container.
//
// Folder layouts/<name>/, all integers little-endian, format version 5. `n` counts the ids up
// to the last one with edges, N all; what a slot is and how a piece of a list is written says
// pieces.h; the forms of the index, list_index.h.
//
//   layout.json   version, the choices, the facts below, size and xxh3 of every file, seconds that
//                 each phase of building took, a checksum of all that (hashed_file.h, sealed)
//   out.blocks    the blocks; free slots hold bytes of 0xff
//   out.sums      u32 per block: checksum32 of its bytes
//   out.index     lengths: n u16, each list's edges, or 0xffff: see out.long
//                 packed: n u64: bits 0..39 the position of the list's first slot, counted over the
//                   whole block file, bits 40..63 its degree, or kLongDegree: see out.long
//                 in-index: n entries of 2 u32, 3 for inline 3: the list itself if it is that
//                 short,
//                   unused ids kNoVertex; else the position, bit 63: see out.long
//                 mini-data: coded (coded_file.h), modulo 2^32: the position of each id that is not
//                   mini's, never below the one before; and one more, the end of the last list
//   out.degrees   in-index only: n u32
//   out.mini      mini-data only: u32, the lists of mini vertices by id
//   out.inline_weights   with inline lists and weights: float32, `inline` per vertex (in-index), or
//                 one for each id of out.mini
//   out.long      (u64 vertex, u64 degree, u64 slots), ascending by vertex: lists of encoded
//   layouts
//                 that lie in more than one block, and those whose degree does not fit the entry
//   out.heads     n x heads u32: the first neighbours of each vertex, then kNoVertex
//   out.order     pack chunks only: N u32, ids in the order of their lists (order_table.h)
//   in.*          the same for in-edges, only of a directed graph; its form is in-index (or packed,
//                 with inline 0) where out has mini-data, for ids can follow one direction only
//   original      coded (coded_file.h), N: the canonical vertex of each layout id, that of the id
//                 before for virtual ones; absent when layout id = canonical vertex
//
// A list that fits a block lies in one, unless the pack straddles; a longer one begins with a block
// there, and goes on in the next ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/layout/choices.h"
#include "storage/layout/list_index.h"
#include "storage/layout/opened_graph.h"
#include "storage/layout/pieces.h"

namespace outcore {

// Which form the index of a direction has; `ranked`: ids are ranks by the positions of its lists.
IndexForm index_form(const LayoutChoices& choices, bool ranked);

class VirtualIds;

// An opened layout: facts, indexes and block files with their sums; block data itself comes through
// a Door over block_files(). Opening reads the index and the sums and checks sizes and checksums,
// and that no list, id or level leaves the files (open_checks.h).
class Layout final : public OpenedGraph {
 public:
  static constexpr GraphKind kKind = GraphKind::lists;

  // Throws a usage error for a layout of edges, which names the command that builds one of lists.
  explicit Layout(std::filesystem::path in_folder);

  [[nodiscard]] const LayoutFacts& facts() const { return facts_; }
  // `in` of a symmetric layout is `out`.
  [[nodiscard]] const ListIndex& index(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? in_ : out_;
  }
  // Number of the direction's file in block_files().
  [[nodiscard]] std::uint32_t file(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? 1 : 0;
  }
  // How lists are written in blocks.
  [[nodiscard]] const PieceFormat& pieces() const { return pieces_; }
  // The first choices().heads neighbours of each id below index(direction).listed(), kNoVertex
  // where there are fewer.
  [[nodiscard]] std::span<const VertexId> heads(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? in_heads_ : out_heads_;
  }
  // Ids in the order in which their lists lie in the blocks (order_table.h); read and checked anew
  // with each call. Throws a usage error where the pack keeps none.
  [[nodiscard]] std::vector<VertexId> read_order(Direction direction) const;
  [[nodiscard]] std::uint64_t index_bytes() const override;
  void forget_lists() override;

 private:
  void read_ids(VirtualIds& virtual_ids);
  void read_directions(VirtualIds& virtual_ids);
  void read_direction(const std::string& prefix, ListIndex& index, std::vector<VertexId>& heads,
                      VirtualIds& virtual_ids);

  LayoutFacts facts_;
  PieceFormat pieces_;
  ListIndex out_;
  ListIndex in_;
  std::vector<VertexId> out_heads_;
  std::vector<VertexId> in_heads_;
};

// Builds a layout of the container in layouts/<name>; `name` empty: layout_name(choices). Throws
// usage errors for unknown choices and those that do not go together. Memory: at most 24 bytes a
// vertex, 16 bytes a block, the longest list and 16 MB; lists are read from the mapped CSR, with
// all cores. Returns the name.
std::string build_layout(const std::filesystem::path& container, const LayoutChoices& choices,
                         const std::string& name, bool force);

// Throws bad_input that names the first broken place: checksums of files and blocks, every list
// decoded against the CSR of the container that the folder lies in, lists that overlap, slots that
// should be free, lists that are cut and should not be. Returns a line for each that held.
std::vector<std::string> check_layout(const std::filesystem::path& folder);

}  // namespace outcore
