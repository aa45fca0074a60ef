// SPDX-License-Identifier: Apache-2.0
// What generators share: random numbers that are functions of what they decide, and the loop that
// makes edges by number and passes them to a container.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "common/hash.h"
#include "common/ids.h"
#include "common/progress.h"
#include "storage/container/builder.h"
#include "workloads/graphs/id_order.h"

namespace outcore {

inline constexpr std::size_t kGeneratorBatch = std::size_t{1} << 20;  // edges made at a time

// A probability as a threshold for 32 random bits.
constexpr std::uint64_t threshold32(double share) {
  return static_cast<std::uint64_t>(share * 4294967296.0);
}

// Draw number `number` of a seed: 64 random bits.
constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t number) {
  return mix(mix(seed) ^ number);
}

// Maps 64 random bits to [0, limit), limit at most 2^32: the upper 64 bits of their product,
// computed in two steps because it has up to 96 bits.
constexpr std::uint64_t below(std::uint64_t random, std::uint64_t limit) {
  const std::uint64_t lower = (random & 0xffffffffU) * limit;
  return ((random >> 32) * limit + (lower >> 32)) >> 32;
}

// Throw a usage Error if no graph can have them.
void check_vertices(std::uint64_t vertices);
void check_vertices_and_degree(std::uint64_t vertices, unsigned degree);

// For a generator whose draws may coincide: loops and repeated edges are dropped.
BuildOptions simple_graph(bool symmetric, unsigned threads, bool force);

// Which id the vertex at each place gets.
struct Ids {
  IdOrder order;
  std::uint64_t seed;

  // The graph says where its ids are not those of the places.
  void tell(nlohmann::json& provenance) const {
    if (order != IdOrder::in_order) provenance["ids"] = name_of(order);
  }
  [[nodiscard]] Edge of(const Edge& edge, VertexId vertices) const {
    return {id_in_order(edge.first, vertices, order, seed),
            id_in_order(edge.second, vertices, order, seed)};
  }
};

// Builds the container of `vertices` vertices from edge_of(0) .. edge_of(edges - 1), whose ends are
// places. REQUIRES: the calls are independent of each other; `build.threads` threads make them.
template <typename EdgeOf>
void generate_edges(const std::filesystem::path& folder, VertexId vertices, std::uint64_t edges,
                    BuildOptions build, const Ids& ids, const EdgeOf& edge_of) {
  ids.tell(build.provenance);
  [[maybe_unused]] const int team = static_cast<int>(build.threads);  // unused without OpenMP
  ContainerBuilder builder(folder, std::move(build));
  Progress progress("generating", edges, "edges");
  std::vector<Edge> batch;
  for (std::uint64_t first = 0; first < edges; first += kGeneratorBatch) {
    batch.resize(std::min<std::uint64_t>(kGeneratorBatch, edges - first));
#pragma omp parallel for num_threads(team) schedule(static)
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i] = ids.of(edge_of(first + i), vertices);
    }
    builder.add(batch);
    progress.add(batch.size());
  }
  builder.finish(vertices);
}

// The same with edges_of(v, edges), which appends the edges of v to `edges`, for every vertex v.
template <typename EdgesOf>
void generate_by_vertex(const std::filesystem::path& folder, VertexId vertices, BuildOptions build,
                        const Ids& ids, const EdgesOf& edges_of) {
  ids.tell(build.provenance);
  constexpr std::uint64_t kSlice = 4096;  // vertices that a thread takes at a time
  [[maybe_unused]] const int team = static_cast<int>(build.threads);  // unused without OpenMP
  ContainerBuilder builder(folder, std::move(build));
  Progress progress("generating", vertices, "vertices");
  std::vector<std::vector<Edge>> slices(64);
  for (std::uint64_t first = 0; first < vertices; first += slices.size() * kSlice) {
#pragma omp parallel for num_threads(team) schedule(dynamic)
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::uint64_t begin = std::min<std::uint64_t>(vertices, first + i * kSlice);
      const std::uint64_t end = std::min<std::uint64_t>(vertices, begin + kSlice);
      slices[i].clear();
      for (std::uint64_t v = begin; v < end; ++v) edges_of(static_cast<VertexId>(v), slices[i]);
      for (Edge& edge : slices[i]) edge = ids.of(edge, vertices);
    }
    for (const std::vector<Edge>& slice : slices) builder.add(slice);
    progress.add(std::min<std::uint64_t>(vertices - first, slices.size() * kSlice));
  }
  builder.finish(vertices);
}

}  // namespace outcore
