// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/edges/edge_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "common/error.h"
#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/manifest.h"
#include "storage/layout/open_checks.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Offsets of cells and the buffers of builders grow with its square.
constexpr std::uint64_t kMostIntervals = 1024;
constexpr EdgeIndex kMostEdges = EdgeIndex{1} << ListIndex::kPositionBits;  // as lists have

const std::array<EdgePackPart, 2> kEdgePacks = {{
    {"grid",
     "edges: P x P blocks of edges between chunks of vertices (GridGraph)",
     /*runs=*/false,
     /*values=*/false,
     /*balanced=*/false,
     {{"p", "8", "chunks of equally many vertices", Parameter::Kind::whole, 1, kMostIntervals},
      {"groups", "1", "second level: blocks are stored by groups x groups of them",
       Parameter::Kind::whole, 1, kMostIntervals},
      {"local", "0", "1: ids of 2 bytes, counted from where their chunk begins (G-Store)",
       Parameter::Kind::whole, 0, 1},
      {.name = "order",
       .fallback = "source",
       .help = "by what the edges of a block ascend; destination is NXgraph's order",
       .choices = {"source", "destination"}}}},
    {"psw",
     "edges: P shards by destination sorted by source, values on edges (GraphChi)",
     /*runs=*/true,
     /*values=*/true,
     /*balanced=*/true,
     {{"p", "4", "intervals of equally many in-edges", Parameter::Kind::whole, 1, kMostIntervals},
      {"value", "4", "bytes of the value on an edge: 4, 8 or 16", Parameter::Kind::whole, 4, 16}}},
}};

EdgeFacts facts_from(const nlohmann::json& manifest, const fs::path& path) {
  const auto json = json_field<nlohmann::json>(manifest, "facts", path);
  EdgeFacts facts;
  static_cast<CommonFacts&>(facts) = common_facts_from_manifest(manifest, path);
  facts.intervals = json_field<std::uint32_t>(json, "intervals", path);
  facts.groups = json_field<std::uint32_t>(json, "groups", path);
  facts.value_bytes = json_field<std::uint32_t>(json, "value_bytes", path);
  facts.largest_interval = json_field<VertexId>(json, "largest_interval", path);
  facts.largest_cell = json_field<EdgeIndex>(json, "largest_cell", path);
  facts.largest_shard = json_field<EdgeIndex>(json, "largest_shard", path);
  return facts;
}

}  // namespace

std::span<const EdgePackPart> edge_pack_parts() { return kEdgePacks; }

const EdgePackPart* find_edge_pack(const std::string& name) {
  const auto at = std::find_if(kEdgePacks.begin(), kEdgePacks.end(),
                               [&](const EdgePackPart& pack) { return pack.name == name; });
  return at == kEdgePacks.end() ? nullptr : &*at;
}

std::uint32_t edge_parameter(const LayoutChoices& choices, const std::string& name,
                             std::uint32_t otherwise) {
  const Parameters& parameters = choices.pack_parameters;
  return parameters.has(name) ? static_cast<std::uint32_t>(parameters.whole(name)) : otherwise;
}

std::uint32_t edge_id_bytes(const LayoutChoices& choices) {
  return edge_parameter(choices, "local", 0) == 1 ? sizeof(std::uint16_t) : sizeof(VertexId);
}

bool edges_by_destination(const LayoutChoices& choices) {
  const Parameters& parameters = choices.pack_parameters;
  return parameters.has("order") && parameters.text("order") == "destination";
}

void refuse_for_edges(const LayoutChoices& choices) {
  const auto refuse = [&](bool refused, const char* option, const char* reason) {
    if (!refused) return;
    throw usage_error(fmt::format("--pack {} with {}: {}", choices.pack, option, reason));
  };
  refuse(choices.place != "id", "--place", "edges are stored in the order of their ids");
  refuse(choices.codec != "raw", "--codec", "edges are not lists that could be delta-coded");
  refuse(choices.inline_edges != 0, "--inline", "there are no lists to keep in the index");
  refuse(choices.heads != 0, "--heads", "there are no lists to take neighbours from");
  refuse(!std::has_single_bit(edge_parameter(choices, "value", 4)), "value",
         "a value is 4, 8 or 16 bytes");
  const std::uint32_t groups = edge_parameter(choices, "groups", 1);
  const std::uint32_t chunks = edge_parameter(choices, "p", 1);
  if (groups > chunks) {
    throw usage_error(fmt::format(
        "--pack {} with groups={}: at most one for each chunk, and p={}; give groups={} or fewer",
        choices.pack, groups, chunks, chunks));
  }
}

std::string column_name(EdgeColumn column) {
  switch (column) {
    case EdgeColumn::sources:
      return "sources";
    case EdgeColumn::runs:
      return "runs";
    case EdgeColumn::targets:
      return "targets";
    case EdgeColumn::weights:
      return "weights";
  }
  return {};
}

std::vector<EdgeColumn> edge_columns(const LayoutChoices& choices) {
  const bool runs = find_edge_pack(choices.pack)->runs;
  std::vector<EdgeColumn> columns = {runs ? EdgeColumn::runs : EdgeColumn::sources,
                                     EdgeColumn::targets};
  if (choices.weights != "none") columns.push_back(EdgeColumn::weights);
  return columns;
}

nlohmann::json edge_facts_json(const EdgeFacts& facts) {
  nlohmann::json json = common_facts_json(facts);
  json.update({{"intervals", facts.intervals},
               {"groups", facts.groups},
               {"value_bytes", facts.value_bytes},
               {"largest_interval", facts.largest_interval},
               {"largest_cell", facts.largest_cell},
               {"largest_shard", facts.largest_shard}});
  return json;
}

bool holds_edges(const fs::path& folder) {
  const fs::path path = folder / "layout.json";
  return fs::exists(path) && layout_kind(read_json(path), path) == GraphKind::edges;
}

EdgeLayout::EdgeLayout(fs::path in_folder)
    : OpenedGraph(std::move(in_folder), {kKind, kEdgeLayoutVersion}),
      facts_(facts_from(manifest(), folder() / "layout.json")),
      id_bytes_(edge_id_bytes(choices())) {
  const bool of_choices = find_edge_pack(choices().pack) != nullptr &&
                          facts_.intervals == edge_parameter(choices(), "p", 0) &&
                          facts_.groups == edge_parameter(choices(), "groups", 1) &&
                          facts_.value_bytes == edge_parameter(choices(), "value", 0) &&
                          facts_.block_bytes == choices().block_bytes &&
                          facts_.id_space == facts_.vertices;
  if (!of_choices) {
    throw bad_input(Place::file(folder() / "layout.json"), "facts of other choices",
                    fmt::format("those of --pack {}", choices().pack), kBuildAgain);
  }
  const std::uint64_t intervals = facts_.intervals;
  read_intervals();
  cells_ = read_checked<EdgeCell>(folder(), "cells", intervals * intervals, manifest());
  check_cells();
  out_degrees_ = read_checked<std::uint32_t>(folder(), "out.degrees", facts_.id_space, manifest());
  if (!facts_.symmetric) {
    in_degrees_ = read_checked<std::uint32_t>(folder(), "in.degrees", facts_.id_space, manifest());
  }
  read_columns();
  read_ids();
}

void EdgeLayout::read_intervals() {
  const auto bounds = read_checked<VertexId>(folder(), "intervals",
                                             std::uint64_t{facts_.intervals} + 1, manifest());
  if (bounds.front() != 0 || bounds.back() != facts_.id_space ||
      !std::is_sorted(bounds.begin(), bounds.end())) {
    throw bad_input(Place::file(folder() / "intervals"), "intervals that leave ids out",
                    fmt::format("ascending ones, from 0 to {}", facts_.id_space), kBuildAgain);
  }
  for (std::size_t k = 1; id_bytes_ < sizeof(VertexId) && k < bounds.size(); ++k) {
    if (bounds[k] - bounds[k - 1] <= kMostLocalIds) continue;
    throw bad_input(Place::file(folder() / "intervals"),
                    fmt::format("an interval of {} ids", bounds[k] - bounds[k - 1]),
                    fmt::format("{} at most, for local ids", kMostLocalIds), kBuildAgain);
  }
  intervals_ = Intervals(bounds);
}

// That they follow one another without a gap, so that none leaves its columns.
void EdgeLayout::check_cells() const {
  const auto broken = [&](const std::string& found, const std::string& expected) {
    throw bad_input(Place::file(folder() / "cells"), found, expected, kBuildAgain);
  };
  BlockId edge_block = 0;
  BlockId run_block = 0;
  for_each_cell(facts_.intervals, facts_.groups, [&](std::uint32_t row, std::uint32_t column) {
    const EdgeCell& c = cell(row, column);
    if (c.edges > kMostEdges || c.runs > kMostEdges) {  // bytes and blocks would overflow
      broken(fmt::format("{} edges and {} runs in cell ({}, {})", c.edges, c.runs, row, column),
             fmt::format("{} at most", kMostEdges));
    }
    if (c.first_block != edge_block || c.first_run_block != run_block) {
      broken(fmt::format("cell ({}, {}) from block {}", row, column, c.first_block),
             fmt::format("{}, behind the cell before", edge_block));
    }
    edge_block += id_blocks(c);
    run_block += blocks_for(c.runs, sizeof(SourceRun));
  });
}

void EdgeLayout::read_columns() {
  columns_ = edge_columns(choices());
  for (const EdgeColumn column : columns_) {
    std::uint64_t blocks = 0;
    for (const EdgeCell& cell : cells_) {
      blocks += column == EdgeColumn::runs ? blocks_for(cell.runs, sizeof(SourceRun))
                                           : id_blocks(cell) * blocks_for_each(column);
    }
    const std::string name = column_name(column);
    const std::string file = name + ".blocks";
    check_file_size(folder() / file, file_entry(manifest(), file, folder() / "layout.json"),
                    blocks * facts_.block_bytes);
    block_files_.push_back(
        {folder() / file, facts_.block_bytes,
         read_checked<std::uint32_t>(folder(), name + ".sums", blocks, manifest())});
  }
}

void EdgeLayout::read_ids() {
  if (choices().number == "original") return;
  original_ =
      OriginalIds{read_checked<VertexId>(folder(), "original", facts_.id_space, manifest())};
  check_originals(original_, facts_.vertices, folder() / "original");
}

std::optional<std::uint32_t> EdgeLayout::file(EdgeColumn column) const {
  const auto at = std::find(columns_.begin(), columns_.end(), column);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(at - columns_.begin());
}

std::vector<std::uint64_t> EdgeLayout::file_blocks() const {
  std::vector<std::uint64_t> blocks = OpenedGraph::file_blocks();
  if (facts_.value_bytes > 0) blocks.push_back(value_blocks());
  return blocks;
}

std::uint64_t EdgeLayout::index_bytes() const {
  return OpenedGraph::index_bytes() + cells_.size() * sizeof(EdgeCell) +
         (intervals_.bounds().size() + out_degrees_.size() + in_degrees_.size()) * sizeof(VertexId);
}

void EdgeLayout::forget_lists() {
  cells_ = std::vector<EdgeCell>();
  out_degrees_ = std::vector<std::uint32_t>();
  in_degrees_ = std::vector<std::uint32_t>();
}

}  // namespace outcore
