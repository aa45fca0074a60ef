// SPDX-License-Identifier: Apache-2.0
// Edges between names, and how they are put into a container: names are numbered in the order of
// their arrival, in one pass. Lines of words (snap, el, wel) and of fields (csv, tsv) are parsed
// into these.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "storage/container/names.h"
#include "storage/formats/fields.h"
#include "storage/formats/text_edges.h"

namespace outcore {

// A name as it is written in a line.
struct RawName {
  std::string_view text;
  std::uint64_t hash = 0;  // of the name
  bool escaped = false;    // the name is unquoted(text) (fields.h); else text

  static RawName of_word(std::string_view word) { return {word, hash_of_name(word), false}; }
  static RawName of_field(std::string_view field) {
    const std::string_view text = without_quotes(field);
    if (!text.starts_with('"')) return of_word(text);
    return {text, hash_of_name(unquoted(text)), true};
  }
};
struct NamedEdge {
  RawName source;
  RawName target;
};
struct WeightedNamedEdge : NamedEdge {
  float weight = 0;
};

inline Edge numbered(const NamedEdge& /*edge*/, VertexId source, VertexId target) {
  return {source, target};
}
inline WeightedEdge numbered(const WeightedNamedEdge& edge, VertexId source, VertexId target) {
  return {source, target, edge.weight};
}

// Numbers the names. Throws bad_input if there are too many.
class NameFeed {
 public:
  explicit NameFeed(const std::filesystem::path& file) : file_(file) {}

  VertexId vertex_of(const RawName& name) {
    if (name.escaped) return table_.vertex_of(unquoted(name.text), name.hash);
    return table_.vertex_of(name.text, name.hash);
  }
  void prefetch(const NamedEdge& edge) const {
    table_.prefetch(edge.source.hash);
    table_.prefetch(edge.target.hash);
  }
  void check_size() const {
    if (table_.size() <= kMostVertices) return;
    throw bad_input(Place::file(file_), fmt::format("{} different ids", table_.size()),
                    fmt::format("at most {}", kMostVertices));
  }
  [[nodiscard]] const NameTable& table() const { return table_; }

 private:
  std::filesystem::path file_;
  NameTable table_;
};

// `read(source, progress, sink)` passes all edges to the sink, in batches that are valid during the
// call.
template <typename Record, typename Read>
void import_named_edges(ImportJob& job, const Read& read) {
  constexpr std::size_t kAhead = 8;
  job.build.weighted = std::is_same_v<Record, WeightedNamedEdge>;
  ContainerBuilder builder(job.folder, job.build);
  NameFeed names(job.file);
  using AnyEdge = decltype(numbered(Record{}, 0, 0));
  std::vector<AnyEdge> batch;
  std::uint64_t count = 0;
  read(*job.source, "importing", [&](std::span<const Record> edges) {
    batch.clear();
    count += edges.size();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (i + kAhead < edges.size()) names.prefetch(edges[i + kAhead]);
      const VertexId source = names.vertex_of(edges[i].source);  // numbered before the target
      batch.push_back(numbered(edges[i], source, names.vertex_of(edges[i].target)));
    }
    names.check_size();
    add_to(builder, std::span<const AnyEdge>(batch));
  });
  if (count == 0) throw no_edges(job.file);
  job.note_input(builder, *job.source);
  job.counts = builder.finish(names.table());
}

// A line of two names separated by blanks, with a weight if the record has one. Further columns are
// ignored, unless the line must `end` after these.
template <typename Edge>
struct WordLine {
  using Record = Edge;
  bool end = false;

  LineKind parse(LineCursor& line, Edge& edge) const {
    if (line.front() == '#' || line.front() == '%') return LineKind::nothing;
    if (!word(line, edge.source) || !word(line, edge.target)) return LineKind::refused;
    if constexpr (std::is_same_v<Edge, WeightedNamedEdge>) {
      if (!line.weight(edge.weight)) return LineKind::refused;
    }
    return !end || line.end() ? LineKind::record : LineKind::refused;
  }

 private:
  static bool word(LineCursor& line, RawName& name) {
    if (line.empty()) return line.refuse_word("a name");
    name = RawName::of_word(line.take_word());
    return true;
  }
};

template <typename Edge>
void import_words(ImportJob& job, bool end) {
  import_named_edges<Edge>(job, [&](ByteSource& source, const char* progress, const auto& sink) {
    read_lines({.source = source, .threads = job.build.threads, .progress = progress},
               WordLine<Edge>{end}, sink);
  });
}

}  // namespace outcore
