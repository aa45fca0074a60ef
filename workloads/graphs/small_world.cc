// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_small_world(const SmallWorldOptions& options, const std::filesystem::path& folder,
                          unsigned threads, bool force) {
  check_vertices_and_degree(options.vertices, options.degree);
  if (options.degree % 2 != 0 || options.degree >= options.vertices) {
    throw usage_error(fmt::format("--degree {}: expected an even number below the {} vertices",
                                  options.degree, options.vertices));
  }
  if (!(options.rewire >= 0 && options.rewire <= 1)) {
    throw usage_error(fmt::format("--rewire {}: expected a share from 0 to 1", options.rewire));
  }
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "small-world"},
                      {"vertices", options.vertices},
                      {"degree", options.degree},
                      {"rewire", options.rewire},
                      {"seed", options.seed}};
  const std::uint64_t half = options.degree / 2;
  const std::uint64_t rewired_below = threshold32(options.rewire);
  generate_edges(folder, static_cast<VertexId>(options.vertices), options.vertices * half,
                 std::move(build), {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
                   const std::uint64_t source = edge / half;
                   const bool rewired = draw(options.seed, 2 * edge) >> 32 < rewired_below;
                   const std::uint64_t target =
                       rewired ? below(draw(options.seed, 2 * edge + 1), options.vertices)
                               : (source + edge % half + 1) % options.vertices;
                   return {static_cast<VertexId>(source), static_cast<VertexId>(target)};
                 });
}

}  // namespace outcore
