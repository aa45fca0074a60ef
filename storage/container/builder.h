// SPDX-License-Identifier: Apache-2.0
// Writes a container from edges in any order. Generators and importers feed it. It sorts in bounded
// memory (storage/sort/external_sort.h), so a graph may be larger than memory.
//
// Memory: `memory` bytes for the sort and a few MB of write buffers; nothing grows with the graph.
// One thread uses the builder, which sorts with `threads`.
//
// The container appears with finish(). If the builder is destroyed before that, nothing is left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/ids.h"
#include "storage/container/container.h"
#include "storage/sort/external_sort.h"

namespace outcore {

using Edge = std::pair<VertexId, VertexId>;  // source, target
struct WeightedEdge {
  VertexId source = 0;
  VertexId target = 0;
  float weight = 0;  // finite
};

// What the added edges mean.
enum class Edges : std::uint8_t {
  directed,   // stored as they are, and in-lists are built too
  mirrored,   // each is stored in both directions (a self loop once)
  symmetric,  // both directions are added already, with the same weights; finish() throws bad_input
              // when they are not
};

// What was added and what is stored of it. Counts of stored edges are those of GraphFacts. An edge
// that was read counts once, even if it is stored in both directions.
struct BuildCounts {
  std::uint64_t read = 0;       // edges added, including dropped ones
  std::uint64_t loops = 0;      // of these, edges from a vertex to itself
  std::uint64_t met_again = 0;  // others with the ends of an earlier edge
  VertexId vertices = 0;
  EdgeIndex edges = 0;
  bool symmetric = false;
  EdgeRepeats stored;
};

struct BuildOptions {
  Edges edges = Edges::directed;
  bool drop_loops = false;
  bool drop_duplicates = false;  // of weighted parallel edges the smallest weight stays
  bool weighted = false;         // edges are added with weights
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 1;
  bool force = false;            // replace an existing container
  std::filesystem::path source;  // the imported file, for messages
  nlohmann::json provenance = nlohmann::json::object();
};

class ContainerBuilder {
 public:
  // Throws here, before any work, if the folder exists, unless `force` is set.
  ContainerBuilder(const std::filesystem::path& folder, BuildOptions options);

  void add(std::span<const Edge> edges);                   // of an unweighted graph
  void add_weighted(std::span<const WeightedEdge> edges);  // of a weighted one
  // Adds provenance that is known only after the edges were added.
  void add_provenance(const nlohmann::json& more) { options_.provenance.update(more); }
  // Writes the container of `vertices` vertices. REQUIRES: every id added is less. `ids`, if not
  // empty, are the vertices' ids in the imported file.
  BuildCounts finish(VertexId vertices, std::span<const std::uint64_t> ids = {});
  // The same, for vertices whose ids in the file were first_id + v.
  BuildCounts finish_from(VertexId vertices, std::uint64_t first_id);
  // The same, for vertices that have names.
  BuildCounts finish(const NameTable& names);
  // The same, with the vertices of another graph and their ids or names.
  BuildCounts finish_as(const Container& other);

 private:
  BuildCounts write_manifest(VertexId vertices);
  void write_lists(VertexId vertices);
  template <typename Record>
  void add_record(ExternalSort<Record>& sort, const Record& record);
  template <typename Record>
  void write_lists(std::optional<ExternalSort<Record>>& sort, VertexId vertices);
  template <typename Record>
  void write_out(ExternalSort<Record>& sort, VertexId vertices);
  template <typename Record>
  std::span<const Record> count_repeats(std::span<const Record> records, Record& last,
                                        std::vector<Record>& distinct);
  template <typename Record>
  void write_in(ExternalSort<Record>& sort, VertexId vertices);
  template <typename Record>
  void turn_out_lists(ExternalSort<Record>& sort, VertexId vertices) const;
  void refuse_asymmetry(std::uint64_t balance) const;

  std::filesystem::path folder_;
  BuildOptions options_;
  PendingFolder pending_;
  std::optional<ExternalSort<EdgeKey>> sort_;  // one of these two is used
  std::optional<ExternalSort<WeightedKey>> weighted_sort_;
  nlohmann::json files_ = nlohmann::json::object();
  BuildCounts counts_;
};

// Throws what ContainerBuilder would throw for a folder that is there.
void check_new_graph(const std::filesystem::path& folder, bool force);

// The number of threads that `requested` stands for: 0 is every core.
unsigned threads_or_all(unsigned requested);

// Builds a small graph in one call; keeps loops and duplicates.
void make_container(const std::filesystem::path& folder, VertexId vertices,
                    std::span<const Edge> edges, bool symmetric);
void make_weighted_container(const std::filesystem::path& folder, VertexId vertices,
                             std::span<const WeightedEdge> edges, bool symmetric);

}  // namespace outcore
