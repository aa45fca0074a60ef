// SPDX-License-Identifier: Apache-2.0
// What text formats share after their lines are parsed: edges between ids, and how they are put
// into a container.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "storage/formats/import.h"
#include "storage/formats/text_lines.h"

namespace outcore {

struct TextEdge {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
};
struct WeightedTextEdge {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  float weight = 0;
};

inline Edge numbered(const TextEdge& /*edge*/, VertexId source, VertexId target) {
  return {source, target};
}
inline WeightedEdge numbered(const WeightedTextEdge& edge, VertexId source, VertexId target) {
  return {source, target, edge.weight};
}
inline void add_to(ContainerBuilder& builder, std::span<const Edge> edges) { builder.add(edges); }
inline void add_to(ContainerBuilder& builder, std::span<const WeightedEdge> edges) {
  builder.add_weighted(edges);
}

// Passes batches to a builder; `vertex_of` translates ids to vertices.
template <typename TextRecord>
class TextEdgeFeed {
 public:
  explicit TextEdgeFeed(ContainerBuilder& builder) : builder_(builder) {}

  template <typename VertexOf>
  void add(std::span<const TextRecord> edges, const VertexOf& vertex_of) {
    batch_.clear();
    for (const TextRecord& edge : edges) {
      batch_.push_back(numbered(edge, vertex_of(edge.source), vertex_of(edge.target)));
    }
    add_to(builder_, std::span<const AnyEdge>(batch_));
  }

 private:
  using AnyEdge = decltype(numbered(TextRecord{}, 0, 0));
  ContainerBuilder& builder_;
  std::vector<AnyEdge> batch_;
};

// Finds the vertex of an id. REQUIRES: `ids`, all ids of the graph, ascend.
class IdTable {
 public:
  explicit IdTable(std::vector<std::uint64_t> ids) : ids_(std::move(ids)) {}
  [[nodiscard]] std::span<const std::uint64_t> ids() const { return ids_; }
  [[nodiscard]] VertexId vertex_of(std::uint64_t id) const {
    return static_cast<VertexId>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
  }
  // Is `vertex`, which vertex_of() returned, really the vertex of this id?
  [[nodiscard]] bool has(std::uint64_t id, VertexId vertex) const {
    return vertex < ids_.size() && ids_[vertex] == id;
  }

 private:
  std::vector<std::uint64_t> ids_;
};

// Collects ids, in memory proportional to the number of distinct ones.
class IdCollector {
 public:
  void add(std::uint64_t id) {
    ids_.push_back(id);
    if (ids_.size() - settled_ >= std::max(kLeast, settled_)) settle();
  }
  // Throws bad_input if there are too many.
  IdTable finish(const std::filesystem::path& file);

 private:
  static constexpr std::size_t kLeast = std::size_t{1} << 20;
  void settle();

  std::vector<std::uint64_t> ids_;
  std::size_t settled_ = 0;  // ids before this are ascending and distinct
};

// Throws bad_input if the source cannot be read twice; `greatest` is the id that makes it
// necessary.
void want_second_pass(const ImportJob& job, std::uint64_t greatest);

template <typename Record, typename Read>
void import_renumbered(ImportJob& job, const Read& read) {
  ContainerBuilder builder(job.folder, job.build);
  IdCollector collector;
  read(*job.open_again(), "collecting ids", [&](std::span<const Record> edges) {
    for (const Record& edge : edges) {
      collector.add(edge.source);
      collector.add(edge.target);
    }
  });
  const IdTable table = collector.finish(job.file);
  TextEdgeFeed<Record> feed(builder);
  const auto source = job.open_again();
  read(*source, "importing", [&](std::span<const Record> edges) {
    feed.add(edges, [&](std::uint64_t id) { return table.vertex_of(id); });
  });
  job.note_input(builder, *source);
  job.counts = builder.finish(static_cast<VertexId>(table.ids().size()), table.ids());
}

// For arbitrary ids. Most files keep their ids, so the first pass already builds with them; it is
// abandoned when the ids turn out to be sparse (import.h, snap). `read(source, progress, sink)`
// passes all edges to the sink.
template <typename Record, typename Read>
void import_numbered_edges(ImportJob& job, const Read& read) {
  job.build.weighted = std::is_same_v<Record, WeightedTextEdge>;
  std::optional<ContainerBuilder> builder(std::in_place, job.folder, job.build);
  TextEdgeFeed<Record> feed(*builder);
  std::uint64_t greatest = 0;
  std::uint64_t count = 0;
  read(*job.source, "importing", [&](std::span<const Record> edges) {
    count += edges.size();
    for (const Record& edge : edges) {
      greatest = std::max({greatest, edge.source, edge.target});
    }
    if (greatest >= kMostVertices) return want_second_pass(job, greatest);
    feed.add(edges, [](std::uint64_t id) { return static_cast<VertexId>(id); });
  });
  if (count == 0) throw no_edges(job.file);
  if (greatest < 2 * count && greatest < kMostVertices) {
    job.note_input(*builder, *job.source);
    job.counts = builder->finish(static_cast<VertexId>(greatest + 1));
    return;
  }
  want_second_pass(job, greatest);
  builder.reset();
  import_renumbered<Record>(job, read);
}

template <typename Grammar>
void import_text_edges(ImportJob& job, const Grammar& grammar) {
  using Record = typename Grammar::Record;
  import_numbered_edges<Record>(
      job, [&](ByteSource& source, const char* progress, const auto& sink) {
        read_lines({.source = source, .threads = job.build.threads, .progress = progress}, grammar,
                   sink);
      });
}

}  // namespace outcore
