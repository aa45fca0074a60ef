// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "common/error.h"
#include "common/hash.h"
#include "storage/formats/import.h"
#include "storage/formats/text_edges.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// The file itself, or its compressed form.
fs::path find_part(const fs::path& path) {
  for (const char* ending : {"", ".gz", ".zst"}) {
    const fs::path candidate = path.string() + ending;
    if (fs::exists(candidate)) return candidate;
  }
  throw bad_input(Place::file(path), "nothing", "a part of the graph (x.properties, x.v and x.e)");
}

// The keys of x.properties without "graph.x.".
class Properties {
 public:
  explicit Properties(const fs::path& path) : path_(path) {
    const auto source = open_source(path);
    HeaderLines lines(*source);
    for (std::string line; lines.next(line);) {
      const std::size_t equals = line.find('=');
      const std::string key = trimmed(line.substr(0, equals));
      if (key.empty() || key[0] == '#' || equals == std::string::npos) continue;
      const std::size_t dot = key.find('.', key.find('.') + 1);
      if (!key.starts_with("graph.") || dot == std::string::npos) continue;
      values_[key.substr(dot + 1)] = {trimmed(line.substr(equals + 1)), lines.lines()};
    }
  }

  [[nodiscard]] std::string text(const std::string& key, const std::string& otherwise) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second.text;
  }
  [[nodiscard]] bool directed() const {
    const auto found = values_.find("directed");
    if (found == values_.end()) {
      throw bad_input(Place::file(path_), "no key graph.NAME.directed", "true or false");
    }
    const Value& value = found->second;
    if (value.text == "true" || value.text == "false") return value.text == "true";
    throw bad_input(Place::line(path_, value.line), fmt::format("'{}'", value.text),
                    "true or false");
  }
  // Throws unless x.properties gives the count that was `found`.
  void expect(const std::string& key, std::uint64_t found, const fs::path& file) const {
    const std::string said = text(key, std::to_string(found));
    if (said == std::to_string(found)) return;
    throw bad_input(Place::file(file), fmt::format("{} of them", found),
                    fmt::format("{} = {}, as {} says", key, said, path_.string()),
                    "the file was cut, or it belongs to another graph");
  }

 private:
  struct Value {
    std::string text;
    std::uint64_t line = 0;
  };
  static std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
  }

  fs::path path_;
  std::map<std::string, Value> values_;
};

struct VertexLine {
  using Record = std::uint64_t;
  static LineKind parse(LineCursor& line, std::uint64_t& id) {
    return line.id(id) ? LineKind::record : LineKind::refused;
  }
};

// The threads that parse also translate ids to vertices.
template <typename Edge>
struct EdgeLine {
  using Record = Edge;
  const IdTable& table;

  LineKind parse(LineCursor& line, Edge& edge) const {
    if (!end_of(line, edge.source) || !end_of(line, edge.target)) return LineKind::refused;
    if constexpr (std::is_same_v<Edge, WeightedTextEdge>) {
      if (!line.weight(edge.weight)) return LineKind::refused;
    }
    return LineKind::record;
  }

 private:
  bool end_of(LineCursor& line, std::uint64_t& end) const {
    const char* const word = line.word();
    std::uint64_t id = 0;
    if (!line.id(id)) return false;
    end = table.vertex_of(id);
    return table.has(id, static_cast<VertexId>(end)) ||
           line.refuse(word, "an id that the graph's .v file has");
  }
};

IdTable read_vertices(const ImportJob& job, const fs::path& file, const Properties& properties) {
  IdCollector collector;
  std::uint64_t lines = 0;
  read_lines(
      {.source = *open_source(file), .threads = job.build.threads, .progress = "reading vertices"},
      VertexLine{}, [&](std::span<const std::uint64_t> ids) {
        for (const std::uint64_t id : ids) collector.add(id);
        lines += ids.size();
      });
  IdTable table = collector.finish(file);
  if (table.ids().size() != lines) {
    throw bad_input(Place::file(file), fmt::format("{} ids twice", lines - table.ids().size()),
                    "each vertex once");
  }
  properties.expect("meta.vertices", lines, file);
  return table;
}

template <typename Edge>
void read_edges(ImportJob& job, const fs::path& file, const Properties& properties,
                const IdTable& table) {
  job.build.weighted = std::is_same_v<Edge, WeightedTextEdge>;
  ContainerBuilder builder(job.folder, job.build);
  TextEdgeFeed<Edge> feed(builder);
  std::uint64_t count = 0;
  read_lines({.source = *open_source(file), .threads = job.build.threads, .progress = "importing"},
             EdgeLine<Edge>{table}, [&](std::span<const Edge> edges) {
               count += edges.size();
               feed.add(edges, [](std::uint64_t vertex) { return static_cast<VertexId>(vertex); });
             });
  if (count == 0) throw no_edges(file);
  properties.expect("meta.edges", count, file);
  const std::span<const std::uint64_t> ids = table.ids();
  const bool dense = ids.back() + 1 == ids.size();
  job.counts = builder.finish(static_cast<VertexId>(ids.size()),
                              dense ? std::span<const std::uint64_t>{} : ids);
}

}  // namespace

void import_graphalytics(ImportJob& job) {
  const fs::path stem = without_compression(job.file).replace_extension();
  const auto named = [&](const char* ending) { return fs::path(stem.string() + ending); };
  const fs::path properties_file = find_part(named(".properties"));
  const Properties properties(properties_file);
  const auto part = [&](const char* key, const char* ending) {
    return find_part(stem.parent_path() / properties.text(key, named(ending).filename().string()));
  };
  const fs::path vertex_file = part("vertex-file", ".v");
  const fs::path edge_file = part("edge-file", ".e");
  nlohmann::json& files = job.build.provenance["files"];
  for (const fs::path& path : {properties_file, vertex_file, edge_file}) {
    files[path.filename().string()] = hash_file(path);
  }
  if (!properties.directed()) job.build.edges = Edges::mirrored;
  const IdTable table = read_vertices(job, vertex_file, properties);
  if (table.ids().empty()) throw no_edges(vertex_file);
  if (properties.text("edge-properties.names", "").empty()) {
    read_edges<TextEdge>(job, edge_file, properties, table);
  } else {
    read_edges<WeightedTextEdge>(job, edge_file, properties, table);
  }
}

}  // namespace outcore
