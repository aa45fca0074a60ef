// SPDX-License-Identifier: Apache-2.0
// Builds a layout of edges in two passes over the canonical lists: one counts the edges of each
// cell, which gives every cell its place, the other writes them there. Lists ascend, so that a pass
// over out-lists, by source, fills the cells of a row side by side, and one over in-lists, by
// destination, those of a column.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/error.h"
#include "common/files.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/edges/cell_writer.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/edges/edge_values.h"
#include "storage/layout/manifest.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

std::uint64_t blocks_of(std::uint64_t bytes, std::uint32_t block_bytes) {
  return (bytes + block_bytes - 1) / block_bytes;
}

class EdgeBuilder {
 public:
  EdgeBuilder(Container& container, const LayoutChoices& choices, fs::path folder)
      : container_(container),
        choices_(choices),
        pack_(*find_edge_pack(choices.pack)),
        weights_(weights_choice(choices.weights)),
        id_bytes_(edge_id_bytes(choices)),
        by_destination_(edges_by_destination(choices)),
        folder_(std::move(folder)),
        out_(container.csr(Direction::out)),
        in_(container.csr(Direction::in)) {
    facts_.vertices = facts_.id_space = container.facts().vertices;
    facts_.edges = container.facts().edges;
    facts_.symmetric = container.facts().symmetric;
    facts_.weighted = container.facts().weighted;
    if (weights_ == Weights::given) facts_.least_weight = least_given_weight(container);
    facts_.block_bytes = choices.block_bytes;
    facts_.intervals = edge_parameter(choices, "p", 1);
    facts_.groups = edge_parameter(choices, "groups", 1);
    facts_.value_bytes = edge_parameter(choices, "value", 0);
    facts_.raw_bytes = facts_.edges * sizeof(VertexId);
  }

  void run() {
    number();
    write_degrees();
    cut_intervals();
    count_cells();
    place_cells();
    write_edges();
    if (facts_.value_bytes > 0) {
      create_edge_values(folder_, edge_blocks_ * (facts_.value_bytes / sizeof(VertexId)),
                         facts_.block_bytes, files_);
      seconds_["values"] = watch_.lap();
    }
    write_json_atomically(folder_ / "layout.json", sealed({{"kind", "edges"},
                                                           {"version", kEdgeLayoutVersion},
                                                           {"choices", choices_json(choices_)},
                                                           {"facts", edge_facts_json(facts_)},
                                                           {"files", files_},
                                                           {"graph", container_.manifest()},
                                                           {"seconds", seconds_}}));
  }

 private:
  template <typename T>
  void write_whole(const std::string& name, std::span<const T> values) {
    HashedFile file(folder_ / name);
    file.write(std::as_bytes(values));
    files_[name] = file.finish();
  }

  void number() {
    original_ = number_part(choices_.number).original(out_, in_);
    layout_of_ = inverse_of(original_, out_.vertices());
    if (choices_.number != "original")
      write_whole("original", std::span<const VertexId>(original_));
    seconds_["number"] = watch_.lap();
  }

  [[nodiscard]] VertexId canonical(VertexId id) const {
    return original_.empty() ? id : original_[id];
  }

  void write_degrees() {
    for (const Direction direction : {Direction::out, Direction::in}) {
      if (direction == Direction::in && facts_.symmetric) continue;
      const CsrView& csr = direction == Direction::out ? out_ : in_;
      const std::string name = direction == Direction::out ? "out.degrees" : "in.degrees";
      HashedFile file(folder_ / name);
      for (VertexId id = 0; id < facts_.id_space; ++id) {
        const std::uint64_t degree = csr.degree(canonical(id));
        if (degree >> 32 != 0) {
          throw usage_error(
              fmt::format("vertex {} has {} edges; layouts of edges count them in 32 bits",
                          canonical(id), degree));
        }
        file.put(static_cast<std::uint32_t>(degree));
      }
      files_[name] = file.finish();
    }
    seconds_["degrees"] = watch_.lap();
  }

  void cut_intervals() {
    const std::uint64_t count = facts_.intervals;
    std::vector<VertexId> bounds = {0};
    if (pack_.balanced) {
      std::uint64_t edges = 0;
      for (VertexId id = 0; id < facts_.id_space; ++id) {
        while (bounds.size() < count && edges * count >= bounds.size() * facts_.edges) {
          bounds.push_back(id);
        }
        edges += in_.degree(canonical(id));
      }
      bounds.resize(count, facts_.id_space);
    } else {
      const std::uint64_t size = (facts_.id_space + count - 1) / count;
      for (std::uint64_t k = 1; k < count; ++k) {
        bounds.push_back(static_cast<VertexId>(std::min<std::uint64_t>(k * size, facts_.id_space)));
      }
    }
    bounds.push_back(facts_.id_space);
    write_whole("intervals", std::span<const VertexId>(bounds));
    intervals_ = Intervals(std::move(bounds));
    for (std::uint32_t k = 0; k < count; ++k) {
      facts_.largest_interval =
          std::max(facts_.largest_interval, intervals_[k].end - intervals_[k].begin);
    }
    refuse_wide_chunks();
    seconds_["intervals"] = watch_.lap();
  }

  void refuse_wide_chunks() const {
    if (id_bytes_ == sizeof(VertexId) || facts_.largest_interval <= kMostLocalIds) return;
    throw usage_error(fmt::format(
        "--pack {}:local=1: with p={} a chunk has {} vertices, and ids of 2 bytes count {} at "
        "most; give p={} or more",
        choices_.pack, facts_.intervals, facts_.largest_interval, kMostLocalIds,
        (std::uint64_t{facts_.id_space} + kMostLocalIds - 1) / kMostLocalIds));
  }

  EdgeCell& cell(std::uint64_t row, std::uint32_t column) {
    return cells_[row * facts_.intervals + column];
  }

  void count_cells() {
    cells_.resize(std::size_t{facts_.intervals} * facts_.intervals);
    std::vector<VertexId> last(facts_.intervals);  // source met in each column, within a row
    for (std::uint32_t row = 0; row < facts_.intervals; ++row) {
      std::fill(last.begin(), last.end(), kNoVertex);
      for (VertexId id = intervals_[row].begin; id < intervals_[row].end; ++id) {
        for (const VertexId target : out_.list(canonical(id))) {
          const std::uint32_t column =
              intervals_.of(layout_of_.empty() ? target : layout_of_[target]);
          ++cell(row, column).edges;
          if (last[column] == id) continue;
          last[column] = id;
          ++cell(row, column).runs;
        }
      }
    }
    if (!pack_.runs) {
      for (EdgeCell& cell : cells_) cell.runs = 0;
    }
    seconds_["count"] = watch_.lap();
  }

  void place_cells() {
    std::vector<EdgeIndex> shards(facts_.intervals);
    for_each_cell(facts_.intervals, facts_.groups, [&](std::uint32_t row, std::uint32_t column) {
      EdgeCell& c = cell(row, column);
      c.first_block = edge_blocks_;
      c.first_run_block = run_blocks_;
      edge_blocks_ += id_blocks(c);
      run_blocks_ += blocks_of(c.runs * sizeof(SourceRun), facts_.block_bytes);
      facts_.largest_cell = std::max(facts_.largest_cell, c.edges);
      shards[column] += c.edges;
    });
    facts_.largest_shard = *std::max_element(shards.begin(), shards.end());
    write_whole("cells", std::span<const EdgeCell>(cells_));
  }

  void write_edges() {
    std::vector<CellWriter> writers;
    const std::vector<EdgeColumn> columns = edge_columns(choices_);
    for (const EdgeColumn column : columns) {
      const bool ids = column == EdgeColumn::sources || column == EdgeColumn::targets;
      writers.emplace_back(
          folder_, column_name(column), facts_.intervals, facts_.block_bytes,
          column == EdgeColumn::runs ? run_blocks_ : edge_blocks_ * blocks_for_each(column),
          ids ? id_bytes_ : sizeof(std::uint32_t));
    }
    Progress progress("writing edges", facts_.edges, "edges");
    for (std::uint32_t line = 0; line < facts_.intervals; ++line) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        writers[c].begin_line(places(line, columns[c]));
      }
      write_line(line, writers, progress);
      for (CellWriter& writer : writers) writer.end_line();
    }
    seconds_["edges"] = watch_.lap();
    for (CellWriter& writer : writers) writer.finish(files_);
    seconds_["checksums"] = watch_.lap();
  }

  [[nodiscard]] std::uint64_t id_blocks(const EdgeCell& cell) const {
    return blocks_of(cell.edges * id_bytes_, facts_.block_bytes);
  }
  // As EdgeLayout's.
  [[nodiscard]] std::uint64_t blocks_for_each(EdgeColumn column) const {
    return column == EdgeColumn::weights ? sizeof(float) / id_bytes_ : 1;
  }
  // Of the cells of a line, in one column of the layout.
  std::vector<CellWriter::Place> places(std::uint32_t line, EdgeColumn column) {
    std::vector<CellWriter::Place> places;
    for (std::uint32_t other = 0; other < facts_.intervals; ++other) {
      const EdgeCell& c = by_destination_ ? cell(other, line) : cell(line, other);
      if (column == EdgeColumn::runs) {
        const std::uint64_t blocks = blocks_of(c.runs * sizeof(SourceRun), facts_.block_bytes);
        places.push_back({c.first_run_block, c.first_run_block + blocks});
      } else {
        const std::uint64_t ratio = blocks_for_each(column);
        places.push_back({c.first_block * ratio, (c.first_block + id_blocks(c)) * ratio});
      }
    }
    return places;
  }

  // A list ascends, so that its edges to one interval follow one another: a run of their cell.
  void write_line(std::uint32_t line, std::vector<CellWriter>& writers, Progress& progress) {
    const NumberedGraph graph{by_destination_ ? in_ : out_, by_destination_ ? out_ : in_, original_,
                              layout_of_};
    // The writers of the lists' own vertices and of the others.
    CellWriter& own = writers[by_destination_ ? 1 : 0];
    CellWriter& others = writers[by_destination_ ? 0 : 1];
    ListBuffer buffer;
    for (VertexId id = intervals_[line].begin; id < intervals_[line].end; ++id) {
      const WeightedList list = graph.weighted_list(id, weights_, buffer);
      for (std::size_t i = 0; i < list.ids.size();) {
        const std::uint32_t other = intervals_.of(list.ids[i]);
        const VertexId end = intervals_[other].end;
        const std::size_t first = i;
        for (; i < list.ids.size() && list.ids[i] < end; ++i) {
          if (!pack_.runs) own.put(other, stored(id, line));
          others.put(other, stored(list.ids[i], other));
          if (!list.weights.empty()) {
            writers[2].put(other, std::bit_cast<std::uint32_t>(list.weights[i]));
          }
        }
        if (!pack_.runs) continue;
        own.put(other, id);
        own.put(other, static_cast<std::uint32_t>(i - first));
      }
      progress.add(list.ids.size());
    }
  }
  [[nodiscard]] VertexId stored(VertexId id, std::uint32_t interval) const {
    return id_bytes_ == sizeof(VertexId) ? id : id - intervals_[interval].begin;
  }

  Container& container_;
  const LayoutChoices& choices_;
  const EdgePackPart& pack_;
  Weights weights_;
  std::uint32_t id_bytes_;
  bool by_destination_;
  fs::path folder_;
  CsrView out_;
  CsrView in_;
  EdgeFacts facts_;
  std::vector<VertexId> original_;
  std::vector<VertexId> layout_of_;
  Intervals intervals_;
  std::vector<EdgeCell> cells_;
  std::uint64_t edge_blocks_ = 0;  // of a column of 4 bytes an edge
  std::uint64_t run_blocks_ = 0;
  nlohmann::json files_ = nlohmann::json::object();
  nlohmann::json seconds_ = nlohmann::json::object();
  Stopwatch watch_;
};

}  // namespace

void write_edge_layout(Container& container, const LayoutChoices& choices, const fs::path& folder) {
  EdgeBuilder(container, choices, folder).run();
}

}  // namespace outcore
