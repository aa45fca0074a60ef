// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/verbs.h"
#include "common/sizes.h"
#include "storage/container/container.h"
#include "storage/layout/layout.h"

namespace outcore {

namespace {

std::uint64_t isolated_vertices(Container& container) {
  const CsrView out = container.csr(Direction::out);
  const CsrView in = container.csr(Direction::in);
  std::uint64_t isolated = 0;
  for (VertexId v = 0; v < out.vertices(); ++v) {
    isolated += out.degree(v) == 0 && in.degree(v) == 0 ? 1 : 0;
  }
  return isolated;
}

// Lists that would fit a block and lie in two, over both directions.
std::uint64_t cut_lists(const Layout& layout) {
  std::uint64_t cut = 0;
  for (const Direction direction : {Direction::out, Direction::in}) {
    if (direction == Direction::in && layout.facts().symmetric) continue;
    const ListIndex& index = layout.index(direction);
    for (VertexId id = 0; id < layout.facts().id_space; ++id) {
      const ListAddress list = index.address(id);
      if (list.degree == 0 || list.degree > index.slots_per_block()) continue;
      cut += index.first_block(list) != index.last_block(list) ? 1 : 0;
    }
  }
  return cut;
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
  // A directed graph's edge is stored in its out-list and in its in-list.
  const std::uint64_t stored = facts.edges * layout.block_files().size();
  const auto per_edge = [&](std::uint64_t bytes) {
    return stored == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(stored);
  };
  return {{"name", name},
          {"choices", layout.manifest().at("choices")},
          {"blocks", blocks},
          {"block_bytes", block_bytes},
          {"total_bytes", total_bytes},
          {"bytes_per_edge_blocks", per_edge(block_bytes)},
          {"bytes_per_edge_index", per_edge(total_bytes - block_bytes)},
          {"bytes_per_edge_total", per_edge(total_bytes)},
          {"used_slots", stored},
          {"free_slots", blocks * facts.slots_per_block - stored},
          {"cut_lists", cut_lists(layout)},
          {"most_vertices_in_a_block", facts.most_vertices_in_a_block},
          {"longest_list", facts.longest_list}};
}

nlohmann::json inspect(const std::string& graph) {
  Container container(graph);
  const GraphFacts& facts = container.facts();
  const DegreeStats degrees = degree_stats(container.csr(Direction::out));
  nlohmann::json layouts = nlohmann::json::array();
  for (const std::string& name : container.layouts()) {
    layouts.push_back(layout_json(Layout(container.layout_folder(name)), name));
  }
  return {{"name", facts.name},
          {"vertices", facts.vertices},
          {"isolated", isolated_vertices(container)},
          {"edges", facts.edges},
          {"symmetric", facts.symmetric},
          {"weighted", facts.weighted},
          {"has_ids", facts.has_ids},
          {"provenance", facts.provenance},
          {"degree",
           {{"min", degrees.least},
            {"median", degrees.median},
            {"mean", degrees.mean},
            {"max", degrees.most},
            {"deviation", degrees.deviation},
            {"skewness", degrees.skewness},
            {"share_of_mini", degrees.share_of_mini},
            {"histogram", degrees.histogram}}},
          {"layouts", layouts}};
}

void print_histogram(const nlohmann::json& histogram) {
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    const std::uint64_t first = bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
    const std::uint64_t last = bin == 0 ? 0 : (std::uint64_t{1} << bin) - 1;
    const std::string range =
        first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
    fmt::print("  {:<22}{:>14}\n", range, histogram[bin].get<std::uint64_t>());
  }
}

void print_text(const nlohmann::json& graph) {
  const nlohmann::json& degree = graph["degree"];
  fmt::print("{}: {} vertices ({} isolated), {} edges, {}{}\n", graph["name"].get<std::string>(),
             graph["vertices"].get<std::uint64_t>(), graph["isolated"].get<std::uint64_t>(),
             graph["edges"].get<std::uint64_t>(),
             graph["symmetric"].get<bool>() ? "symmetric" : "directed",
             graph["weighted"].get<bool>() ? ", weighted" : "");
  fmt::print("made by: {}\n", graph["provenance"].dump());
  fmt::print(
      "out-degree: min {}, median {}, mean {:.2f}, max {}, deviation {:.2f}, skewness {:.2f}; "
      "{:.2f}% of vertices have at most {}\n",
      degree["min"].get<std::uint64_t>(), degree["median"].get<std::uint64_t>(),
      degree["mean"].get<double>(), degree["max"].get<std::uint64_t>(),
      degree["deviation"].get<double>(), degree["skewness"].get<double>(),
      100 * degree["share_of_mini"].get<double>(), DegreeStats::kMiniDegree);
  print_histogram(degree["histogram"]);
  for (const nlohmann::json& layout : graph["layouts"]) {
    fmt::print(
        "layout {}: {} blocks, {}; bytes per edge: blocks {:.3f}, index {:.3f}, total {:.3f}; "
        "{} of {} slots free, {} lists cut that would fit a block; "
        "at most {} vertices in a block, longest list {}\n",
        layout["name"].get<std::string>(), layout["blocks"].get<std::uint64_t>(),
        human_size(layout["total_bytes"].get<std::uint64_t>()),
        layout["bytes_per_edge_blocks"].get<double>(), layout["bytes_per_edge_index"].get<double>(),
        layout["bytes_per_edge_total"].get<double>(), layout["free_slots"].get<std::uint64_t>(),
        layout["free_slots"].get<std::uint64_t>() + layout["used_slots"].get<std::uint64_t>(),
        layout["cut_lists"].get<std::uint64_t>(),
        layout["most_vertices_in_a_block"].get<std::uint64_t>(),
        layout["longest_list"].get<std::uint64_t>());
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  struct Args {
    std::string graph;
    bool json = false;
  };
  const auto args = std::make_shared<Args>();
  CLI::App* inspect_app = app.add_subcommand("inspect", "Show a graph's figures and its layouts'");
  inspect_app->add_option("graph", args->graph, "Folder of the graph")->required();
  inspect_app->add_flag("--json", args->json, "For programs");
  inspect_app->footer("Example: outcore inspect graphs/kron20 --json");
  inspect_app->callback([args] {
    const nlohmann::json graph = inspect(args->graph);
    if (args->json) {
      fmt::print("{}\n", graph.dump(2));
    } else {
      print_text(graph);
    }
  });
}

}  // namespace outcore
