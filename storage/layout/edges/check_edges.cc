// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>

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

// One column's file, mapped, as words of 4 bytes.
class CheckedColumn {
 public:
  explicit CheckedColumn(const BlockFile& file)
      : file_(file), mapped_(file.path), words_(mapped_.as<std::uint32_t>()) {
    const std::size_t words_per_block = file.block_bytes / sizeof(std::uint32_t);
    for (BlockId block = 0; block < file.blocks(); ++block) {
      const std::uint32_t sum =
          checksum32(std::as_bytes(words_.subspan(block * words_per_block, words_per_block)));
      if (sum == file.sums[block]) continue;
      throw bad_input(Place::offset(file.path, block * file.block_bytes),
                      fmt::format("block checksum {:08x}", sum),
                      fmt::format("{:08x}", file.sums[block]), kBuildAgain);
    }
  }
  [[nodiscard]] std::uint32_t operator[](std::uint64_t word) const { return words_[word]; }
  void expect(std::uint64_t word, const std::string& what, std::uint32_t expected) const {
    if (words_[word] == expected) return;
    throw bad_input(Place::offset(file_.path, word * sizeof(std::uint32_t)),
                    fmt::format("{} {}", what, words_[word]), fmt::format("{}", expected),
                    kBuildAgain);
  }

 private:
  const BlockFile& file_;
  MappedFile mapped_;
  std::span<const std::uint32_t> words_;
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
        graph_{container.csr(Direction::out), container.csr(Direction::in), original_, layout_of_},
        weights_(weights_choice(layout.choices().weights)) {}

  void run() {
    graph();
    degrees(Direction::out);
    if (!facts_.symmetric) degrees(Direction::in);
    cells();
    for (const BlockFile& file : layout_.block_files()) columns_.emplace_back(file);
    Progress progress("checking edges", facts_.edges, "edges");
    for (std::uint32_t row = 0; row < facts_.intervals; ++row) check_row(row, progress);
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

  void check_row(std::uint32_t row, Progress& progress) {
    const std::uint64_t words = facts_.block_bytes / sizeof(std::uint32_t);
    cursors_.clear();
    for (std::uint32_t column = 0; column < facts_.intervals; ++column) {
      const EdgeCell& cell = layout_.cell(row, column);
      cursors_.push_back(
          {cell.first_block * words, cell.first_run_block * words, cell.edges, cell.runs});
    }
    for (VertexId id = intervals_[row].begin; id < intervals_[row].end; ++id) {
      const WeightedList list = graph_.weighted_list(id, weights_, buffer_);
      check_list(id, list, row);
      progress.add(list.ids.size());
    }
    for (std::uint32_t column = 0; column < facts_.intervals; ++column) {
      check_end(row, column, words);
    }
  }

  void check_list(VertexId id, const WeightedList& list, std::uint32_t row) {
    for (std::size_t i = 0; i < list.ids.size();) {
      const std::uint32_t column = intervals_.of(list.ids[i]);
      const std::size_t first = i;
      while (i < list.ids.size() && list.ids[i] < intervals_[column].end) ++i;
      check_run(id,
                {list.ids.subspan(first, i - first),
                 list.weights.empty() ? list.weights : list.weights.subspan(first, i - first)},
                row, column);
    }
  }

  // The edges of one source in one cell.
  void check_run(VertexId id, const WeightedList& run, std::uint32_t row, std::uint32_t column) {
    Cursor& at = cursors_[column];
    const CheckedColumn* const runs = column_of(EdgeColumn::runs);
    if (at.edges_left < run.ids.size() || (runs != nullptr && at.runs_left == 0)) {
      broken("cells",
             fmt::format("{} edges in cell ({}, {})", layout_.cell(row, column).edges, row, column),
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
      if (sources != nullptr) sources->expect(at.edge, "source", id);
      targets->expect(at.edge, "target", run.ids[i]);
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
  void check_end(std::uint32_t row, std::uint32_t column, std::uint64_t words) {
    Cursor& at = cursors_[column];
    if (at.edges_left > 0 || at.runs_left > 0) {
      broken("cells",
             fmt::format("{} edges in cell ({}, {})", layout_.cell(row, column).edges, row, column),
             fmt::format("{}", layout_.cell(row, column).edges - at.edges_left));
    }
    for (const EdgeColumn kind : edge_columns(layout_.choices())) {
      std::uint64_t word = kind == EdgeColumn::runs ? at.run : at.edge;
      for (; word % words != 0; ++word) column_of(kind)->expect(word, "free word", kNoVertex);
    }
  }

  const EdgeLayout& layout_;
  const EdgeFacts& facts_;
  const Intervals& intervals_;
  Container& container_;
  std::vector<VertexId> original_;
  std::vector<VertexId> layout_of_;
  NumberedGraph graph_;
  Weights weights_;
  std::vector<CheckedColumn> columns_;  // as block_files()
  std::vector<Cursor> cursors_;         // of the row, by column
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
      fmt::format("layout {}: every edge in its cell, by source, then target; other words free",
                  name)};
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
