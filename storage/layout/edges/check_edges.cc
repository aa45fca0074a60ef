// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/error.h"
#include "common/hash.h"
#include "common/progress.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/container/mapped_file.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/edges/edge_values.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// One column's file, mapped, as words of 2 or 4 bytes.
class CheckedColumn {
 public:
  CheckedColumn(const BlockFile& file, std::uint32_t word_bytes)
      : file_(file), mapped_(file.path), word_bytes_(word_bytes), bytes_(mapped_.as<std::byte>()) {
    for (BlockId block = 0; block < file.blocks(); ++block) {
      const std::uint32_t sum =
          checksum32(bytes_.subspan(block * file.block_bytes, file.block_bytes));
      if (sum == file.sums[block]) continue;
      throw bad_input(Place::offset(file.path, block * file.block_bytes),
                      fmt::format("block checksum {:08x}", sum),
                      fmt::format("{:08x}", file.sums[block]), kBuildAgain);
    }
  }
  void expect(std::uint64_t word, const char* what, std::uint32_t expected) const {
    std::uint32_t found = 0;  // little-endian: a short word is its low bytes
    std::memcpy(&found, bytes_.data() + word * word_bytes_, word_bytes_);
    if (found == expected) return;
    throw bad_input(Place::offset(file_.path, word * word_bytes_),
                    fmt::format("{} {}", what, found), fmt::format("{}", expected), kBuildAgain);
  }
  void expect_free(std::uint64_t word) const {
    expect(word, "free word", word_bytes_ == sizeof(std::uint16_t) ? 0xFFFF : kNoVertex);
  }

 private:
  const BlockFile& file_;
  MappedFile mapped_;
  std::uint32_t word_bytes_;
  std::span<const std::byte> bytes_;
};

// Checks a layout of edges against the CSR it was made from.
class EdgeCheck {
 public:
  EdgeCheck(const EdgeLayout& layout, Container& container)
      : layout_(layout),
        facts_(layout.facts()),
        intervals_(layout.intervals()),
        container_(container),
        original_(layout.original_table()),
        layout_of_(inverse_of(original_, layout.facts().vertices)),
        by_destination_(edges_by_destination(layout.choices())),
        graph_{container.csr(by_destination_ ? Direction::in : Direction::out),
               container.csr(by_destination_ ? Direction::out : Direction::in), original_,
               layout_of_},
        weights_(weights_choice(layout.choices().weights)) {}

  void run() {
    graph();
    degrees(Direction::out);
    if (!facts_.symmetric) degrees(Direction::in);
    cells();
    for (const EdgeColumn column : edge_columns(layout_.choices())) {
      const bool ids = column == EdgeColumn::sources || column == EdgeColumn::targets;
      columns_.emplace_back(layout_.block_files()[*layout_.file(column)],
                            ids ? layout_.id_bytes() : sizeof(std::uint32_t));
    }
    Progress progress("checking edges", facts_.edges, "edges");
    for (std::uint32_t line = 0; line < facts_.intervals; ++line) check_line(line, progress);
  }

 private:
  // Where the check has come to in a cell, in words of the columns.
  struct Cursor {
    std::uint64_t edge = 0;
    std::uint64_t run = 0;
    std::uint64_t edges_left = 0;
    std::uint64_t runs_left = 0;
  };

  [[noreturn]] void broken(const char* file, const std::string& found,
                           const std::string& expected) const {
    throw bad_input(Place::file(layout_.folder() / file), found, expected, kBuildAgain);
  }
  void expect_fact(const char* fact, std::uint64_t found, std::uint64_t expected) const {
    if (found != expected) {
      broken("layout.json", fmt::format("{} {}", fact, found), fmt::format("{}", expected));
    }
  }

  void graph() const {
    const GraphFacts& graph = container_.facts();
    expect_fact("vertices", facts_.vertices, graph.vertices);
    expect_fact("id_space", facts_.id_space, graph.vertices);
    expect_fact("edges", facts_.edges, graph.edges);
    expect_fact("symmetric", facts_.symmetric ? 1 : 0, graph.symmetric ? 1 : 0);
    expect_fact("raw_bytes", facts_.raw_bytes, graph.edges * sizeof(VertexId));
  }

  void degrees(Direction direction) {
    const CsrView csr = container_.csr(direction);
    const char* const file = direction == Direction::out ? "out.degrees" : "in.degrees";
    for (VertexId id = 0; id < facts_.id_space; ++id) {
      const std::uint64_t expected = csr.degree(layout_.original(id));
      if (layout_.degrees(direction)[id] == expected) continue;
      throw bad_input(Place::offset(layout_.folder() / file, id * sizeof(std::uint32_t)),
                      fmt::format("degree {}", layout_.degrees(direction)[id]),
                      fmt::format("{}", expected), kBuildAgain);
    }
  }

  // What is said of the largest; opening the layout has seen to where they lie.
  void cells() const {
    std::uint64_t largest_cell = 0;
    std::vector<std::uint64_t> shards(facts_.intervals);
    for_each_cell(facts_.intervals, facts_.groups, [&](std::uint32_t row, std::uint32_t column) {
      const EdgeCell& cell = layout_.cell(row, column);
      largest_cell = std::max(largest_cell, cell.edges);
      shards[column] += cell.edges;
    });
    expect_fact("largest_cell", facts_.largest_cell, largest_cell);
    expect_fact("largest_shard", facts_.largest_shard,
                *std::max_element(shards.begin(), shards.end()));
    VertexId largest_interval = 0;
    for (std::uint32_t k = 0; k < facts_.intervals; ++k) {
      largest_interval = std::max(largest_interval, intervals_[k].end - intervals_[k].begin);
    }
    expect_fact("largest_interval", facts_.largest_interval, largest_interval);
  }

  [[nodiscard]] std::uint64_t words_per_block(std::uint32_t word_bytes) const {
    return facts_.block_bytes / word_bytes;
  }
  // A line is a row; of a layout by destination, a column.
  [[nodiscard]] const EdgeCell& cell(std::uint32_t line, std::uint32_t other) const {
    return by_destination_ ? layout_.cell(other, line) : layout_.cell(line, other);
  }
  [[nodiscard]] std::string name_of(std::uint32_t line, std::uint32_t other) const {
    return by_destination_ ? fmt::format("cell ({}, {})", other, line)
                           : fmt::format("cell ({}, {})", line, other);
  }

  // A cell's weights begin at as many words as its ids do, whatever both have of bytes.
  void check_line(std::uint32_t line, Progress& progress) {
    cursors_.clear();
    for (std::uint32_t other = 0; other < facts_.intervals; ++other) {
      const EdgeCell& c = cell(line, other);
      cursors_.push_back({c.first_block * words_per_block(layout_.id_bytes()),
                          c.first_run_block * words_per_block(sizeof(std::uint32_t)), c.edges,
                          c.runs});
    }
    for (VertexId id = intervals_[line].begin; id < intervals_[line].end; ++id) {
      const WeightedList list = graph_.weighted_list(id, weights_, buffer_);
      check_list(id, list, line);
      progress.add(list.ids.size());
    }
    for (std::uint32_t other = 0; other < facts_.intervals; ++other) check_end(line, other);
  }

  void check_list(VertexId id, const WeightedList& list, std::uint32_t line) {
    for (std::size_t i = 0; i < list.ids.size();) {
      const std::uint32_t other = intervals_.of(list.ids[i]);
      const std::size_t first = i;
      while (i < list.ids.size() && list.ids[i] < intervals_[other].end) ++i;
      check_run(id,
                {list.ids.subspan(first, i - first),
                 list.weights.empty() ? list.weights : list.weights.subspan(first, i - first)},
                line, other);
    }
  }

  [[nodiscard]] VertexId stored(VertexId id, std::uint32_t interval) const {
    return layout_.id_bytes() == sizeof(VertexId) ? id : id - intervals_[interval].begin;
  }

  // The edges of one vertex in one cell.
  void check_run(VertexId id, const WeightedList& run, std::uint32_t line, std::uint32_t other) {
    Cursor& at = cursors_[other];
    const CheckedColumn* const runs = column_of(EdgeColumn::runs);
    if (at.edges_left < run.ids.size() || (runs != nullptr && at.runs_left == 0)) {
      broken("cells", fmt::format("{} edges in {}", cell(line, other).edges, name_of(line, other)),
             "more");
    }
    if (runs != nullptr) {
      runs->expect(at.run, "source", id);
      runs->expect(at.run + 1, "run length", static_cast<std::uint32_t>(run.ids.size()));
      at.run += 2;
      --at.runs_left;
    }
    const CheckedColumn* const sources = column_of(EdgeColumn::sources);
    const CheckedColumn* const targets = column_of(EdgeColumn::targets);
    const CheckedColumn* const weights = column_of(EdgeColumn::weights);
    for (std::size_t i = 0; i < run.ids.size(); ++i, ++at.edge) {
      const VertexId own = stored(id, line);
      const VertexId others = stored(run.ids[i], other);
      if (sources != nullptr) sources->expect(at.edge, "source", by_destination_ ? others : own);
      targets->expect(at.edge, "target", by_destination_ ? own : others);
      if (weights == nullptr) continue;
      weights->expect(at.edge, "weight (as bits)", std::bit_cast<std::uint32_t>(run.weights[i]));
    }
    at.edges_left -= run.ids.size();
  }

  // Null when the layout does not have it.
  [[nodiscard]] const CheckedColumn* column_of(EdgeColumn column) const {
    const std::optional<std::uint32_t> file = layout_.file(column);
    return file ? &columns_[*file] : nullptr;
  }

  // Nothing is left in the cell, and the rest of its last block is free.
  void check_end(std::uint32_t line, std::uint32_t other) {
    const Cursor& at = cursors_[other];
    if (at.edges_left > 0 || at.runs_left > 0) {
      broken("cells", fmt::format("{} edges in {}", cell(line, other).edges, name_of(line, other)),
             fmt::format("{}", cell(line, other).edges - at.edges_left));
    }
    for (const EdgeColumn kind : edge_columns(layout_.choices())) {
      const bool runs = kind == EdgeColumn::runs;
      const std::uint64_t words = words_per_block(runs ? 4 : layout_.id_bytes());
      std::uint64_t word = runs ? at.run : at.edge;
      for (; word % words != 0; ++word) column_of(kind)->expect_free(word);
    }
  }

  const EdgeLayout& layout_;
  const EdgeFacts& facts_;
  const Intervals& intervals_;
  Container& container_;
  std::vector<VertexId> original_;
  std::vector<VertexId> layout_of_;
  bool by_destination_;
  NumberedGraph graph_;
  Weights weights_;
  std::vector<CheckedColumn> columns_;  // as block_files()
  std::vector<Cursor> cursors_;         // of the line's cells
  ListBuffer buffer_;
};

}  // namespace

std::vector<std::string> check_edge_layout(const fs::path& folder) {
  const EdgeLayout layout(folder);
  Container container(fs::absolute(folder).lexically_normal().parent_path().parent_path());
  EdgeCheck(layout, container).run();
  const std::string name = folder.filename().string();
  std::vector<std::string> held = {
      fmt::format("layout {}: sizes and checksums of intervals, cells, degrees, sums and ids",
                  name),
      fmt::format("layout {}: every block against its checksum", name),
      fmt::format(
          "layout {}: every edge in its cell, by {}; other words free", name,
          edges_by_destination(layout.choices()) ? "target, then source" : "source, then target")};
  for (const std::string& file : file_names(layout.manifest(), folder / "layout.json")) {
    const auto entry = file_entry(layout.manifest(), file, folder / "layout.json");
    if (entry.contains("hash")) check_file_hash(folder / file, entry);
  }
  check_seal(layout.manifest(), folder / "layout.json");
  if (layout.facts().value_bytes > 0) {
    check_edge_values(layout);
    held.push_back(fmt::format("layout {}: every value as it was written last", name));
  }
  return held;
}

}  // namespace outcore
