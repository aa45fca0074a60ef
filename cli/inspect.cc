// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/inspect_store.h"
#include "cli/inspect_text.h"
#include "cli/verbs.h"
#include "common/files.h"
#include "storage/container/builder.h"
#include "storage/container/container.h"
#include "storage/evolving/durable/check_durable_store.h"
#include "storage/evolving/pmem_store.h"
#include "storage/inspect/degree_stats.h"
#include "storage/inspect/layout_stats.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/layout.h"
#include "storage/layout/parts.h"
#include "storage/sizes/format_sizes.h"

namespace outcore {

namespace {

struct InspectArgs {
  std::string graph;
  std::vector<std::string> numbers = {"original"};
  bool sizes = false;
  unsigned threads = 0;
  bool json = false;
};

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

const char* name_of(Direction direction) { return direction == Direction::out ? "out" : "in"; }

nlohmann::json class_json(const DegreeClass& members) {
  return {{"vertices", members.vertices}, {"edges", members.edges}};
}

nlohmann::json degree_json(const CsrView& csr) {
  const DegreeStats stats = degree_stats(csr);
  return {{"min", stats.least},
          {"median", stats.median},
          {"mean", stats.mean},
          {"max", stats.most},
          {"deviation", stats.deviation},
          {"skewness", stats.skewness},
          {"classes",
           {{"none", class_json(stats.none)},
            {"mini", class_json(stats.mini)},
            {"medium", class_json(stats.medium)},
            {"super", class_json(stats.super)}}},
          {"histogram", stats.histogram}};
}

nlohmann::json level_json(Direction direction, const LevelStats& level) {
  return {{"direction", name_of(direction)},
          {"chunk_bytes", level.chunk_bytes},
          {"chunks", level.chunks},
          {"bytes", level.bytes()},
          {"fragments", level.fragments},
          {"free_bytes", level.free_bytes()},
          {"lists", level.lists},
          {"super", level.super}};
}

// The seconds that each phase of building took.
nlohmann::json seconds_json(const nlohmann::json& manifest, const std::filesystem::path& folder) {
  return json_field<std::map<std::string, double>>(manifest, "seconds", folder / "layout.json");
}

nlohmann::json layout_json(const Layout& layout, const std::string& name) {
  const LayoutFacts& facts = layout.facts();
  std::uint64_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t total_bytes = 0;
  for (const BlockFile& file : layout.block_files()) {
    blocks += file.blocks();
    block_bytes += file.blocks() * file.block_bytes;
  }
  for (const auto& file : layout.files()) total_bytes += std::filesystem::file_size(file);
  // A directed graph stores each edge in an out-list and in an in-list.
  const std::uint64_t stored = facts.edges * layout.block_files().size();
  nlohmann::json levels = nlohmann::json::array();
  std::uint64_t lists = 0;
  std::uint64_t cut_lists = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t chunk_reads = 0;
  std::uint64_t reads_for_cuts = 0;
  for (const DirectionStats& direction : layout_stats(layout)) {
    lists += direction.lists;
    chunk_reads += direction.chunk_reads;
    reads_for_cuts += direction.reads_for_cuts;
    cut_lists += direction.cut_lists;
    for (const LevelStats& level : direction.levels) {
      levels.push_back(level_json(direction.direction, level));
      free_bytes += level.free_bytes();
    }
  }
  return {{"name", name},
          {"choices", layout.manifest().at("choices")},
          {"blocks", blocks},
          {"block_bytes", block_bytes},
          {"total_bytes", total_bytes},
          {"index_memory_bytes", layout.index_bytes()},
          {"bytes_per_edge_blocks", ratio(block_bytes, stored)},
          {"bytes_per_edge_index", ratio(total_bytes - block_bytes, stored)},
          {"bytes_per_edge_total", ratio(total_bytes, stored)},
          {"lists", lists},
          {"cut_lists", cut_lists},
          {"chunk_reads", chunk_reads},
          {"reads_for_cuts", reads_for_cuts},
          {"free_bytes", free_bytes},
          {"most_vertices_in_a_block", facts.most_vertices_in_a_block},
          {"longest_list", facts.longest_list},
          {"levels", levels},
          {"seconds", seconds_json(layout.manifest(), layout.folder())}};
}

nlohmann::json edge_layout_json(const EdgeLayout& layout, const std::string& name) {
  const EdgeFacts& facts = layout.facts();
  std::uint64_t block_bytes = 0;
  for (const BlockFile& file : layout.block_files())
    block_bytes += file.blocks() * file.block_bytes;
  std::uint64_t total_bytes = 0;
  for (const auto& file : layout.files()) total_bytes += std::filesystem::file_size(file);
  std::uint64_t empty_cells = 0;
  for (std::uint32_t row = 0; row < facts.intervals; ++row) {
    for (std::uint32_t column = 0; column < facts.intervals; ++column) {
      empty_cells += layout.cell(row, column).edges == 0 ? 1 : 0;
    }
  }
  return {{"name", name},
          {"choices", layout.manifest().at("choices")},
          {"intervals", facts.intervals},
          {"empty_cells", empty_cells},
          {"largest_interval", facts.largest_interval},
          {"largest_cell", facts.largest_cell},
          {"largest_shard", facts.largest_shard},
          {"value_bytes", facts.value_bytes},
          {"block_bytes", block_bytes},
          {"total_bytes", total_bytes},
          {"index_memory_bytes", layout.index_bytes()},
          {"bytes_per_edge_blocks", ratio(block_bytes, facts.edges)},
          {"bytes_per_edge_total", ratio(total_bytes, facts.edges)},
          {"seconds", seconds_json(layout.manifest(), layout.folder())}};
}

// The ids of a number part, and the lists of both directions under these ids.
struct Numbered {
  Numbered(const std::string& number, Container& container)
      : original(number_part(number).original(container.csr(Direction::out),
                                              container.csr(Direction::in))),
        layout_of(original.size()) {
    for (VertexId id = 0; id < original.size(); ++id) layout_of[original[id]] = id;
    const CsrView out = container.csr(Direction::out);
    const CsrView in = container.csr(Direction::in);
    lists = std::make_unique<NumberedLists>(NumberedLists{{out, in, original, layout_of},
                                                          {in, out, original, layout_of},
                                                          container.facts().symmetric});
  }
  std::vector<VertexId> original;
  std::vector<VertexId> layout_of;
  std::unique_ptr<NumberedLists> lists;  // refer to the two above
};

void add_codecs(nlohmann::json& codecs, const std::string& number, Direction direction,
                const NumberedGraph& lists, unsigned threads) {
  for (const CodecSize& size : codec_sizes(lists, threads)) {
    codecs.push_back({{"number", number},
                      {"direction", name_of(direction)},
                      {"codec", size.codec},
                      {"bytes", size.bytes},
                      {"bytes_per_edge", ratio(size.bytes, lists.csr.edges())}});
  }
}

void add_formats(nlohmann::json& formats, const std::string& number, const NumberedLists& lists,
                 unsigned threads) {
  for (const FormatSize& size : format_sizes(lists, threads)) {
    formats.push_back({{"number", number},
                       {"format", size.name},
                       {"help", size.help},
                       {"edge_bytes", size.edge_bytes},
                       {"index_bytes", size.index_bytes},
                       {"total_bytes", size.total()},
                       {"bytes_per_edge", ratio(size.total(), lists.out.csr.edges())}});
  }
}

nlohmann::json inspect(const InspectArgs& args) {
  for (const std::string& number : args.numbers) number_part(number);  // before any work
  const unsigned threads = threads_or_all(args.threads);
  Container container(args.graph);
  const GraphFacts& facts = container.facts();
  const CsrView out = container.csr(Direction::out);
  const CsrView in = container.csr(Direction::in);
  nlohmann::json codecs = nlohmann::json::array();
  nlohmann::json formats = nlohmann::json::array();
  for (const std::string& number : args.numbers) {
    const Numbered numbered(number, container);
    add_codecs(codecs, number, Direction::out, numbered.lists->out, threads);
    if (!facts.symmetric) add_codecs(codecs, number, Direction::in, numbered.lists->in, threads);
    if (args.sizes) add_formats(formats, number, *numbered.lists, threads);
  }
  nlohmann::json layouts = nlohmann::json::array();
  nlohmann::json edge_layouts = nlohmann::json::array();
  for (const std::string& name : container.layouts()) {
    const std::filesystem::path folder = container.layout_folder(name);
    if (holds_edges(folder)) {
      edge_layouts.push_back(edge_layout_json(EdgeLayout(folder), name));
    } else {
      layouts.push_back(layout_json(Layout(folder), name));
    }
  }
  nlohmann::json degree = {{"out", degree_json(out)}};
  if (!facts.symmetric) degree["in"] = degree_json(in);
  const EdgeRepeats repeats = count_repeats(out);
  nlohmann::json graph = {{"name", facts.name},
                          {"vertices", facts.vertices},
                          {"isolated", isolated_vertices(out, in)},
                          {"edges", facts.edges},
                          {"loops", repeats.loops},
                          {"parallel", repeats.parallel},
                          {"symmetric", facts.symmetric},
                          {"weighted", facts.weighted},
                          {"has_ids", facts.has_ids},
                          {"has_names", facts.has_names},
                          {"provenance", facts.provenance},
                          {"degree", degree},
                          {"codecs", codecs},
                          {"layouts", layouts},
                          {"edge_layouts", edge_layouts}};
  if (args.sizes) graph["sizes"] = formats;
  return graph;
}

}  // namespace

void add_inspect(CLI::App& app) {
  const auto args = std::make_shared<InspectArgs>();
  CLI::App* verb =
      app.add_subcommand("inspect", "Show figures of a graph and of its layouts, or of a store");
  verb->add_option("graph", args->graph, "Folder of the graph or of the store")->required();
  verb->add_option("--number", args->numbers,
                   "Numberings for which to count bytes per edge, separated by commas: see outcore "
                   "layout --help")
      ->delimiter(',')
      ->capture_default_str();
  verb->add_flag("--sizes", args->sizes, "Also show its size in other systems' formats");
  verb->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  verb->add_flag("--json", args->json, "For programs");
  verb->footer(
      "Example: outcore inspect graphs/kron20\n"
      "         outcore inspect stores/live\n"
      "         outcore inspect graphs/kron20 --number original,degree --sizes --json");
  verb->callback([args] {
    if (evolving::is_durable_store(args->graph)) {
      const nlohmann::json store = inspect_store(args->graph);
      fmt::print("{}", args->json ? store.dump(2) + "\n" : inspect_store_text(store));
      return;
    }
    if (evolving::is_pmem_store(args->graph)) {
      const nlohmann::json store = inspect_pmem_store(args->graph);
      fmt::print("{}", args->json ? store.dump(2) + "\n" : inspect_pmem_store_text(store));
      return;
    }
    const nlohmann::json graph = inspect(*args);
    fmt::print("{}", args->json ? graph.dump(2) + "\n" : inspect_text(graph));
  });
}

}  // namespace outcore
