// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/generate.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "common/error.h"
#include "common/hash.h"
#include "workloads/graphs/edge_loop.h"

namespace outcore {

VertexId permuted_id(VertexId id, unsigned bits, std::uint64_t seed) {
  const unsigned half = (bits + 1) / 2;
  const std::uint64_t half_mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t value = id;
  do {  // odd `bits`: permutes twice as many values, so repeat until inside
    std::uint64_t left = value >> half;
    std::uint64_t right = value & half_mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = mix(mix(seed + round) ^ right) & half_mask;
      left = std::exchange(right, left ^ mixed);
    }
    value = left << half | right;
  } while (value >> bits != 0);
  return static_cast<VertexId>(value);
}

void generate_grid(const GridOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force) {
  if (options.rows < 1 || options.columns < 1 || options.rows > kNoVertex ||
      options.columns > kNoVertex || options.rows * options.columns > kNoVertex) {
    throw usage_error(fmt::format("--rows {} --columns {}: expected 1 to {} vertices in all",
                                  options.rows, options.columns, kNoVertex));
  }
  if (!(options.missing >= 0 && options.missing < 1)) {
    throw usage_error(
        fmt::format("--missing {}: expected a share from 0 to below 1", options.missing));
  }
  BuildOptions build;
  build.edges = Edges::mirrored;
  build.threads = threads_or_all(threads);
  build.force = force;
  build.provenance = {{"generator", "grid"},
                      {"rows", options.rows},
                      {"columns", options.columns},
                      {"missing", options.missing},
                      {"seed", options.seed}};
  const std::uint64_t vertices = options.rows * options.columns;
  const std::uint64_t absent_below = threshold32(options.missing);
  // Edge 2v goes right from vertex v, edge 2v + 1 goes down.
  const auto present = [&](std::uint64_t edge) {
    return (mix(mix(options.seed) ^ edge) >> 32) >= absent_below;
  };
  generate_by_vertex(folder, static_cast<VertexId>(vertices), std::move(build),
                     [&](VertexId vertex, std::vector<Edge>& edges) {
                       const std::uint64_t v = vertex;
                       if ((v + 1) % options.columns != 0 && present(2 * v)) {
                         edges.emplace_back(vertex, vertex + 1);
                       }
                       if (v + options.columns < vertices && present(2 * v + 1)) {
                         edges.emplace_back(vertex, static_cast<VertexId>(v + options.columns));
                       }
                     });
}

}  // namespace outcore
