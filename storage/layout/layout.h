// SPDX-License-Identifier: Apache-2.0
// A layout: adjacency as blocks on disk, one combination of number x place x pack x codec x inline
// x heads x weights (docs/architecture.md). Engines open a layout and nothing else of a container.
//
// Folder layouts/<name>/, all integers little-endian, format version 5. `n` is the number of ids up
// to the last one with edges, N the number of all ids. pieces.h defines slots and how a piece of a
// list is written; list_index.h defines the forms of the index.
//
//   layout.json   version, the choices, the facts below, size and xxh3 of every file, seconds that
//                 each phase of building took, and a checksum of this file (hashed_file.h, sealed)
//   out.blocks    the blocks; free slots hold bytes of 0xff. Over several disks: out.blocks.0, ...
//                 (stripes.h)
//   out.sums      u32 per block: checksum32 of its bytes
//   out.index     lengths: n u16, the number of edges of each list, or 0xffff: see out.long
//                 packed: n u64: bits 0..39 the position of the list's first slot, counted over the
//                   whole block file, bits 40..63 its degree, or kLongDegree: see out.long
//                 in-index: n entries of 2 u32 (3 for inline 3): the list itself if it is that
//                   short, with unused ids kNoVertex; else the position, with bit 63: see out.long
//                 mini-data: coded (coded_file.h), modulo 2^32: the position of each id that is not
//                   a mini vertex's, never below the previous one; then the end of the last list
//   out.degrees   in-index only: n u32
//   out.mini      mini-data only: u32, the lists of mini vertices by id
//   out.inline_weights   with inline lists and weights: float32, `inline` per vertex (in-index), or
//                 one for each id of out.mini
//   out.long      (u64 vertex, u64 degree, u64 slots), ascending by vertex: lists of encoded
//                 layouts that lie in more than one block, and lists whose degree does not fit the
//                 entry
//   out.heads     n x heads u32: the first neighbours of each vertex, then kNoVertex
//   out.order     pack chunks only: N u32, ids in the order of their lists (order_table.h)
//   in.*          the same for in-edges, only in a directed graph. If out is mini-data, in is
//                 in-index (with inline 0: packed), because ids can follow one direction only
//   original      coded (coded_file.h), N: the canonical vertex of each layout id; for a virtual id
//                 that of the id before it. Absent if layout id = canonical vertex
//
// A list that fits a block lies in one block, unless the pack straddles. Without straddling, a
// longer list begins at a block and continues in the following ones.
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
#include "storage/layout/stripes.h"

namespace outcore {

// The form of the index of a direction. `ranked`: ids are ranks by the positions of its lists.
IndexForm index_form(const LayoutChoices& choices, bool ranked);

class VirtualIds;

// An opened layout: facts, indexes, and block files with their checksums. The blocks themselves are
// read through a Door over block_files(). Opening reads the index and the checksums, and verifies
// sizes and checksums and that no list, id or level lies outside the files (open_checks.h).
class Layout final : public OpenedGraph {
 public:
  static constexpr GraphKind kKind = GraphKind::lists;

  // Throws a usage error for a layout of edges; it names the command that builds one of lists.
  explicit Layout(std::filesystem::path in_folder);
  // Lists of a store, which are no layout by themselves (evolving/stored_lists.h): indexes that
  // tell degrees, and the files that the lists are in.
  Layout(std::filesystem::path store, const CommonFacts& facts, ListIndex out, ListIndex in,
         std::vector<BlockFile> files);

  [[nodiscard]] const LayoutFacts& facts() const { return facts_; }
  // In a symmetric layout, `in` is `out`.
  [[nodiscard]] const ListIndex& index(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? in_ : out_;
  }
  // The number of the direction's file in block_files().
  [[nodiscard]] std::uint32_t file(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? 1 : 0;
  }
  // How lists are written in blocks.
  [[nodiscard]] const PieceFormat& pieces() const { return pieces_; }
  // The first choices().heads neighbours of each id below index(direction).listed(), padded with
  // kNoVertex.
  [[nodiscard]] std::span<const VertexId> heads(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? in_heads_ : out_heads_;
  }
  // Ids in the order of their lists in the blocks (order_table.h); reads and checks the file at
  // each call. Throws a usage error if the pack has no such table.
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

// Builds a layout of the container in layouts/<name>; if `name` is empty, it is
// layout_name(choices). Throws usage errors for choices that are unknown or exclude each other.
// Memory: at most 24 bytes per vertex, 16 bytes per block, the longest list and 16 MB. Lists are
// read from the mapped CSR by all cores. Returns the name. `disks`: over which blocks are striped.
std::string build_layout(const std::filesystem::path& container, const LayoutChoices& choices,
                         const std::string& name, bool force, const Disks& disks = {});

// Throws bad_input for the first broken place: checksums of files and blocks, every list decoded
// and compared with the CSR of the container around the folder, lists that overlap, slots that
// should be free, lists that are cut but should not be. Returns a line for each invariant that
// held.
std::vector<std::string> check_layout(const std::filesystem::path& folder);

}  // namespace outcore
