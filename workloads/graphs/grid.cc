// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

namespace {

void check(const GridOptions& options) {
  if (options.rows < 1 || options.columns < 1 || options.rows > kNoVertex ||
      options.columns > kNoVertex || options.rows * options.columns > kNoVertex) {
    throw usage_error(fmt::format("--rows {} --columns {}: expected 1 to {} vertices in all",
                                  options.rows, options.columns, kNoVertex));
  }
  if (options.torus && (options.rows < 3 || options.columns < 3)) {
    throw usage_error(
        fmt::format("--torus --rows {} --columns {}: expected 3 of each or more; with fewer, the "
                    "edge that closes a row is there already",
                    options.rows, options.columns));
  }
  if (!(options.missing >= 0 && options.missing < 1)) {
    throw usage_error(
        fmt::format("--missing {}: expected a share from 0 to below 1", options.missing));
  }
}

}  // namespace

void generate_grid(const GridOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force) {
  check(options);
  BuildOptions build;
  build.edges = Edges::mirrored;
  build.threads = threads_or_all(threads);
  build.force = force;
  build.provenance = {{"generator", "grid"},
                      {"rows", options.rows},
                      {"columns", options.columns},
                      {"missing", options.missing},
                      {"seed", options.seed}};
  if (options.torus) build.provenance["torus"] = true;
  const std::uint64_t columns = options.columns;
  const std::uint64_t vertices = options.rows * columns;
  const std::uint64_t absent_below = threshold32(options.missing);
  // Edge 2v goes right from vertex v, edge 2v + 1 goes down.
  const auto present = [&](std::uint64_t edge) {
    return (mix(mix(options.seed) ^ edge) >> 32) >= absent_below;
  };
  generate_by_vertex(
      folder, static_cast<VertexId>(vertices), std::move(build), {options.ids, options.seed},
      [&](VertexId vertex, std::vector<Edge>& edges) {
        const std::uint64_t v = vertex;
        const bool ends_row = (v + 1) % columns == 0;
        const bool in_last_row = v + columns >= vertices;
        if ((!ends_row || options.torus) && present(2 * v)) {
          edges.emplace_back(vertex, static_cast<VertexId>(ends_row ? v + 1 - columns : v + 1));
        }
        if ((!in_last_row || options.torus) && present(2 * v + 1)) {
          edges.emplace_back(vertex, static_cast<VertexId>((v + columns) % vertices));
        }
      });
}

}  // namespace outcore
