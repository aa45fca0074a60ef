// SPDX-License-Identifier: Apache-2.0
// Layouts that hold edges, not lists: what engines read that stream edges by blocks of vertices.
//
//   grid  GridGraph (ATC 2015; LOSC, section 2): P x P blocks of edges between chunks of equally
//         many vertices, streamed column by column
//   psw   GraphChi (OSDI 2012; LOSC, sections 2.2 to 3.5): P shards by destination interval, each
//         sorted by source, of about equally many edges; the part of a shard whose sources lie in
//         one interval is that interval's sliding window; a value that can be written lies on every
//         edge
//
// Both are one thing: ids are cut into P intervals, and *cell* (i, j) holds the edges from interval
// i to interval j, ascending by source, then by target; with `order=destination`, NXgraph's, by
// target, then by source. Row i is where the edges of i go, column j what comes to j: GraphChi's
// shard j, and its window for interval i is cell (i, j).
//
// Folder layouts/<name>/, all integers little-endian, format version 2:
//
//   layout.json    kind "edges", version, choices, facts, size and xxh3 of every file but values,
//                  seconds that each phase of building took, a checksum of all that
//                  (storage/container/hashed_file.h, sealed)
//   intervals      P + 1 u32: interval k is the ids [k-th, next)
//   cells          P * P records by row, then column, of four u64: edges, first block of the edges'
//                  columns, runs, first block of runs.blocks
//   out.degrees    id_space u32; in.degrees the same of a directed graph
//   original       N u32: the canonical vertex of each layout id; absent when they are the same
//   <column>.blocks  4 bytes an edge, in the order of the cells; a cell starts with a block, and
//                  all bits of what is free behind it are set. The columns:
//     sources        u32, of grid
//     runs           two u32, the source and how many edges follow with it: of psw, where they
//                    stand for sources; a run does not leave its cell
//     targets        u32
//     weights        f32, if they are chosen
//                  With `local`, G-Store's tiles, sources and targets are u16, counted from where
//                  their intervals begin, which have 65536 ids at most; the weights of a cell then
//                  take twice as many blocks as its ids, from twice their first block on
//   <column>.sums  u32 per block: checksum32 of its bytes
//   values.blocks  of psw: `value` bytes an edge, where the cell's first block is value / 4 times
//                  that of the other columns; all 0 until somebody writes (edge_values.h)
//   values.sums    as above, of what was written last; then a checksum32 of these sums
//   values.open    there while values are being written; a writer that dies leaves it behind
//
// Cells follow one another by column, then row. With `groups` g > 1, GridGraph's second level, by
// g x g groups of cells: groups by column, then row, and the cells of a group likewise.
//
// Threads: an opened EdgeLayout is only read. Memory: 32 bytes a cell, 4 bytes a block of each
// column and 4 bytes a vertex and direction; 8 more where vertices are renumbered.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/layout/choices.h"
#include "storage/layout/edges/intervals.h"
#include "storage/layout/opened_graph.h"
#include "storage/layout/parts.h"

namespace outcore {

inline constexpr int kEdgeLayoutVersion = 2;

// A pack that holds edges: `--pack grid:p=8`.
struct EdgePackPart {
  std::string name;
  std::string help;
  bool runs;      // column runs, not sources
  bool values;    // has values.blocks
  bool balanced;  // intervals of about equally many in-edges, not of equally many vertices
  std::vector<Parameter> parameters;
};
std::span<const EdgePackPart> edge_pack_parts();
// Null when no edge pack has this name.
const EdgePackPart* find_edge_pack(const std::string& name);

// Throws usage errors for what edges cannot be combined with (docs/architecture.md lists it).
void refuse_for_edges(const LayoutChoices& choices);

// The value of a parameter; `otherwise` where the pack does not have it.
std::uint32_t edge_parameter(const LayoutChoices& choices, const std::string& name,
                             std::uint32_t otherwise);
// Bytes of a source or target: 2 where they count from the begin of their interval, else 4.
std::uint32_t edge_id_bytes(const LayoutChoices& choices);
inline constexpr VertexId kMostLocalIds = 65536;  // of an interval
// Do the edges of a cell ascend by target?
bool edges_by_destination(const LayoutChoices& choices);

struct EdgeFacts : CommonFacts {
  std::uint32_t intervals = 1;    // P
  std::uint32_t groups = 1;       // GridGraph's second level
  std::uint32_t value_bytes = 0;  // of an edge; 0: no values
  VertexId largest_interval = 0;  // vertices
  EdgeIndex largest_cell = 0;     // edges
  EdgeIndex largest_shard = 0;    // edges of a column
  friend bool operator==(const EdgeFacts&, const EdgeFacts&) = default;
};

struct EdgeCell {
  std::uint64_t edges = 0;
  BlockId first_block = 0;  // of sources, targets and weights
  std::uint64_t runs = 0;
  BlockId first_run_block = 0;
};

// The source of `count` edges that follow one another.
struct SourceRun {
  VertexId source = 0;
  std::uint32_t count = 0;
};

enum class EdgeColumn : std::uint8_t { sources, runs, targets, weights };

class EdgeLayout final : public OpenedGraph {
 public:
  static constexpr GraphKind kKind = GraphKind::edges;

  // Reads all but the columns, and checks sizes and checksums on the way. Throws a usage error for
  // a layout of lists, which names the command that builds one of edges.
  explicit EdgeLayout(std::filesystem::path in_folder);

  [[nodiscard]] const EdgeFacts& facts() const { return facts_; }

  [[nodiscard]] const Intervals& intervals() const { return intervals_; }
  [[nodiscard]] const EdgeCell& cell(std::uint32_t row, std::uint32_t column) const {
    return cells_[std::size_t{row} * facts_.intervals + column];
  }
  [[nodiscard]] std::uint32_t id_bytes() const { return id_bytes_; }
  // How many blocks of a column that holds `bytes` for each of `count` a cell takes.
  [[nodiscard]] std::uint64_t blocks_for(std::uint64_t count, std::uint32_t bytes) const {
    return (count * bytes + facts_.block_bytes - 1) / facts_.block_bytes;
  }
  // How many blocks of sources or of targets a cell takes.
  [[nodiscard]] std::uint64_t id_blocks(const EdgeCell& cell) const {
    return blocks_for(cell.edges, id_bytes_);
  }
  // The blocks of a column for each block of ids, and for each block before a cell's first.
  [[nodiscard]] std::uint32_t blocks_for_each(EdgeColumn column) const {
    return column == EdgeColumn::weights ? sizeof(float) / id_bytes_ : 1;
  }
  // Number of the column's file in block_files(); nothing when the layout does not have it.
  [[nodiscard]] std::optional<std::uint32_t> file(EdgeColumn column) const;
  [[nodiscard]] std::span<const std::uint32_t> degrees(Direction direction) const {
    return direction == Direction::in && !facts_.symmetric ? in_degrees_ : out_degrees_;
  }
  // Of values.blocks; 0 where there are none.
  [[nodiscard]] std::uint64_t value_blocks() const {
    return block_files_[*file(EdgeColumn::targets)].blocks() * facts_.value_bytes /
           sizeof(VertexId);
  }
  [[nodiscard]] std::vector<std::uint64_t> file_blocks() const override;
  [[nodiscard]] std::uint64_t index_bytes() const override;
  void forget_lists() override;

 private:
  void read_intervals();
  void check_cells() const;
  void read_columns();
  void read_ids();

  EdgeFacts facts_;
  std::uint32_t id_bytes_;
  Intervals intervals_;
  std::vector<EdgeCell> cells_;
  std::vector<EdgeColumn> columns_;  // of block_files()
  std::vector<std::uint32_t> out_degrees_;
  std::vector<std::uint32_t> in_degrees_;
};

// The first interval of a group.
inline std::uint32_t first_of_group(std::uint32_t group, std::uint32_t intervals,
                                    std::uint32_t groups) {
  return static_cast<std::uint32_t>(std::uint64_t{group} * intervals / groups);
}

// f(row, column) for every cell of a grid in the order of the file.
template <typename F>
void for_each_cell(std::uint32_t intervals, std::uint32_t groups, F&& f) {
  const auto begin = [&](std::uint32_t group) { return first_of_group(group, intervals, groups); };
  for (std::uint32_t to = 0; to < groups; ++to) {
    for (std::uint32_t from = 0; from < groups; ++from) {
      for (std::uint32_t column = begin(to); column < begin(to + 1); ++column) {
        for (std::uint32_t row = begin(from); row < begin(from + 1); ++row) f(row, column);
      }
    }
  }
}

std::string column_name(EdgeColumn column);
// Those that a layout has, in the order of EdgeColumn.
std::vector<EdgeColumn> edge_columns(const LayoutChoices& choices);
nlohmann::json edge_facts_json(const EdgeFacts& facts);

// Does the folder hold edges? False for lists, and for what is no layout at all.
bool holds_edges(const std::filesystem::path& folder);

// Writes layout.json and all other files of a layout of `choices`, which are complete, to `folder`.
// Memory: 8 bytes a vertex where vertices are renumbered, 40 bytes a cell, 4 bytes a block, and for
// each column 16 MB or a block for each interval, whichever is more.
void write_edge_layout(Container& container, const LayoutChoices& choices,
                       const std::filesystem::path& folder);

// As check_layout, for a folder that holds edges.
std::vector<std::string> check_edge_layout(const std::filesystem::path& folder);

}  // namespace outcore
