// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_band(const BandOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force) {
  if (options.width < 1 || options.width > 4096) {
    throw usage_error(fmt::format("--width {}: expected 1 to 4096", options.width));
  }
  check_vertices(options.vertices);
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "band"},
                      {"vertices", options.vertices},
                      {"width", options.width},
                      {"seed", options.seed}};
  generate_edges(folder, static_cast<VertexId>(options.vertices), options.vertices * options.width,
                 std::move(build), {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
                   const std::uint64_t source = edge / options.width;
                   const std::uint64_t target = source + 1 + edge % options.width;
                   // Beyond the end there is none: a loop, which is dropped.
                   return {static_cast<VertexId>(source),
                           static_cast<VertexId>(target < options.vertices ? target : source)};
                 });
}

}  // namespace outcore
