// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/graph_building.h"
#include "cli/text_table.h"
#include "common/sizes.h"
#include "storage/inspect/degree_stats.h"

namespace outcore {

namespace {

using Json = nlohmann::json;

std::string count(const Json& value) { return with_commas(value.get<std::uint64_t>()); }
std::string size(const Json& value) { return human_size(value.get<std::uint64_t>()); }
std::string decimal(const Json& value) { return fmt::format("{:.2f}", value.get<double>()); }

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.2f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}
std::string percent(const Json& part, const Json& whole) {
  return percent(part.get<std::uint64_t>(), whole.get<std::uint64_t>());
}

// "generator kronecker, degree 16, scale 20", "imported links.csv, bytes 135": the most informative
// entry first.
std::string provenance_text(const Json& provenance) {
  std::string first;
  std::string rest;
  for (const auto& [name, value] : provenance.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (name == "generator" || name == "imported" || name == "source") {
      first = fmt::format("{} {}", name, text);
    } else {
      rest += fmt::format(", {} {}", name, text);
    }
  }
  return first.empty() ? rest.substr(std::min<std::size_t>(2, rest.size())) : first + rest;
}

// Calls f("out", its figures), then f("in", ...) for a directed graph.
template <typename F>
void for_each_direction(const Json& degree, F&& f) {
  for (const std::string direction : {"out", "in"}) {
    if (degree.contains(direction)) f(direction, degree.at(direction));
  }
}

std::string head_text(const Json& graph) {
  return fmt::format("{}: {} vertices ({} isolated), {} edges{}, {}{}\norigin: {}\n",
                     graph.at("name").get<std::string>(), count(graph.at("vertices")),
                     count(graph.at("isolated")), count(graph.at("edges")),
                     with_repeats({graph.at("loops").get<std::uint64_t>(),
                                   graph.at("parallel").get<std::uint64_t>()}),
                     graph.at("symmetric").get<bool>() ? "symmetric" : "directed",
                     graph.at("weighted").get<bool>() ? ", weighted" : "",
                     provenance_text(graph.at("provenance")));
}

// A row for each direction.
std::string moments_text(const Json& degree) {
  TextTable table({"degree", "mean", "median", "least", "most", "deviation", "skewness"});
  for_each_direction(degree, [&](const std::string& direction, const Json& of) {
    table.add({degree.size() == 1 ? "" : direction, decimal(of.at("mean")), count(of.at("median")),
               count(of.at("min")), count(of.at("max")), decimal(of.at("deviation")),
               decimal(of.at("skewness"))});
  });
  return table.text();
}

std::string classes_text(const Json& graph) {
  const Json& degree = graph.at("degree");
  std::vector<std::string> header = {"vertices by degree"};
  for_each_direction(degree, [&](const std::string& direction, const Json& /*of*/) {
    const std::string prefix = degree.size() == 1 ? "" : direction + "-";
    header.insert(header.end(), {prefix + "degree", "share", "edges"});
  });
  TextTable table(header);
  const std::pair<const char*, std::string> classes[] = {
      {"none", "none: 0"},
      {"mini", fmt::format("mini: 1 to {}", DegreeStats::kMostOfMini)},
      {"medium", fmt::format("medium: to {}", with_commas(DegreeStats::kMostOfMedium))},
      {"super", "super: more"}};
  for (const auto& [name, title] : classes) {
    std::vector<std::string> row = {title};
    for_each_direction(degree, [&, key = name](const std::string& /*direction*/, const Json& of) {
      const Json& members = of.at("classes").at(key);
      row.insert(row.end(), {count(members.at("vertices")),
                             percent(members.at("vertices"), graph.at("vertices")),
                             percent(members.at("edges"), graph.at("edges"))});
    });
    table.add(row);
  }
  return table.text();
}

// "4 to 7" for bin 3.
std::string bin_text(std::size_t bin) {
  const std::uint64_t first = bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
  const std::uint64_t last = bin == 0 ? 0 : (std::uint64_t{1} << bin) - 1;
  return first == last ? with_commas(first)
                       : fmt::format("{} to {}", with_commas(first), with_commas(last));
}

std::string histogram_text(const std::string& title, const Json& histogram,
                           std::uint64_t vertices) {
  constexpr double kLongestBar = 40;
  const auto most =
      histogram.empty()
          ? std::uint64_t{1}
          : (*std::max_element(histogram.begin(), histogram.end())).get<std::uint64_t>();
  TextTable table({title, "vertices", "share", ""});
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    const auto members = histogram[bin].get<std::uint64_t>();
    const double share = static_cast<double>(members) / static_cast<double>(most);
    const auto length = static_cast<std::size_t>(std::lround(kLongestBar * share));
    std::string bar(length, '#');
    bar.resize(static_cast<std::size_t>(kLongestBar), ' ');
    table.add({bin_text(bin), with_commas(members), percent(members, vertices), bar});
  }
  return table.text();
}

std::string histograms_text(const Json& graph) {
  const Json& degree = graph.at("degree");
  std::string text;
  for_each_direction(degree, [&](const std::string& direction, const Json& of) {
    const std::string title = degree.size() == 1 ? "degree" : direction + "-degree";
    text += "\n" + histogram_text(title, of.at("histogram"), graph.at("vertices"));
  });
  return text;
}

// A row for each numbering and direction, a column for each codec.
std::string codecs_text(const Json& graph) {
  const Json& codecs = graph.at("codecs");
  std::vector<std::string> header = {"bytes per edge, lists only"};
  std::vector<std::vector<std::string>> rows;
  std::string before;
  for (const Json& entry : codecs) {
    const auto codec = entry.at("codec").get<std::string>();
    if (std::find(header.begin(), header.end(), codec) == header.end()) header.push_back(codec);
    std::string title = "numbered " + entry.at("number").get<std::string>();
    if (!graph.at("symmetric").get<bool>()) {
      title += ", " + entry.at("direction").get<std::string>() + "-lists";
    }
    if (title != before) rows.push_back({title});
    before = title;
    rows.back().push_back(fmt::format("{:.3f}", entry.at("bytes_per_edge").get<double>()));
  }
  TextTable table(header);
  for (const auto& row : rows) table.add(row);
  return table.text();
}

std::string sizes_text(const Json& sizes) {
  TextTable table({"whole graph as", "edges", "index", "total", "bytes/edge", "numbered", ""});
  for (const Json& entry : sizes) {
    table.add({entry.at("format").get<std::string>(), size(entry.at("edge_bytes")),
               size(entry.at("index_bytes")), size(entry.at("total_bytes")),
               fmt::format("{:.3f}", entry.at("bytes_per_edge").get<double>()),
               entry.at("number").get<std::string>()});
  }
  return table.text();
}

std::string layouts_text(const Json& layouts) {
  TextTable table({"layout", "blocks", "on disk", "bytes/edge", "with index", "in memory",
                   "cut lists", "reads for cuts", "most/block"});
  for (const Json& layout : layouts) {
    table.add({layout.at("name").get<std::string>(), count(layout.at("blocks")),
               size(layout.at("total_bytes")),
               fmt::format("{:.3f}", layout.at("bytes_per_edge_blocks").get<double>()),
               fmt::format("{:.3f}", layout.at("bytes_per_edge_total").get<double>()),
               size(layout.at("index_memory_bytes")), count(layout.at("cut_lists")),
               percent(layout.at("reads_for_cuts"), layout.at("chunk_reads")),
               count(layout.at("most_vertices_in_a_block"))});
  }
  return table.text();
}

// ChunkGraph's Tables 4 and 5.
std::string levels_text(const Json& layouts) {
  TextTable table({"whitespace", "", "chunk", "chunks", "total", "free", "of total", "not full"});
  for (const Json& layout : layouts) {
    for (const Json& level : layout.at("levels")) {
      table.add({layout.at("name").get<std::string>(), level.at("direction").get<std::string>(),
                 level.at("super").get<bool>() ? "super" : size(level.at("chunk_bytes")),
                 count(level.at("chunks")), size(level.at("bytes")), size(level.at("free_bytes")),
                 percent(level.at("free_bytes"), level.at("bytes")),
                 percent(level.at("fragments"), level.at("chunks"))});
    }
  }
  return table.text();
}

// The table of edge layouts.
std::string edge_layouts_text(const Json& layouts) {
  TextTable table({"edges in", "intervals", "empty cells", "on disk", "bytes/edge", "in memory",
                   "most vertices", "largest cell", "largest shard"});
  for (const Json& layout : layouts) {
    const auto intervals = layout.at("intervals").get<std::uint64_t>();
    table.add({layout.at("name").get<std::string>(), with_commas(intervals),
               percent(layout.at("empty_cells").get<std::uint64_t>(), intervals * intervals),
               size(layout.at("total_bytes")),
               fmt::format("{:.3f}", layout.at("bytes_per_edge_total").get<double>()),
               size(layout.at("index_memory_bytes")), count(layout.at("largest_interval")),
               count(layout.at("largest_cell")), count(layout.at("largest_shard"))});
  }
  return table.text();
}

std::string seconds_text(const Json& layouts) {
  std::string text;
  for (const Json& layout : layouts) {
    double all = 0;
    std::string phases;
    for (const auto& [phase, seconds] : layout.at("seconds").items()) {
      all += seconds.get<double>();
      phases +=
          fmt::format("{}{} {:.3f}", phases.empty() ? "" : ", ", phase, seconds.get<double>());
    }
    text += fmt::format("  {}: {:.3f} ({})\n", layout.at("name").get<std::string>(), all, phases);
  }
  return "  seconds of building\n" + text;
}

}  // namespace

std::string inspect_text(const Json& graph) {
  std::string text = head_text(graph);
  text += "\n" + moments_text(graph.at("degree"));
  text += "\n" + classes_text(graph);
  text += histograms_text(graph);
  text += "\n" + codecs_text(graph);
  if (graph.contains("sizes")) text += "\n" + sizes_text(graph.at("sizes"));
  Json layouts = graph.at("layouts");
  const Json& edge_layouts = graph.at("edge_layouts");
  if (layouts.empty() && edge_layouts.empty()) return text + "\nno layout yet: outcore layout\n";
  if (!layouts.empty()) text += "\n" + layouts_text(layouts) + "\n" + levels_text(layouts);
  if (!edge_layouts.empty()) text += "\n" + edge_layouts_text(edge_layouts);
  for (const Json& layout : edge_layouts) layouts.push_back(layout);
  return text + "\n" + seconds_text(layouts);
}

}  // namespace outcore
