// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_uniform(const UniformOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force) {
  check_vertices_and_degree(options.vertices, options.degree);
  BuildOptions build = simple_graph(options.symmetric, threads, force);
  build.provenance = {{"generator", "uniform"},
                      {"vertices", options.vertices},
                      {"degree", options.degree},
                      {"seed", options.seed},
                      {"symmetric", options.symmetric}};
  generate_edges(folder, static_cast<VertexId>(options.vertices), options.vertices * options.degree,
                 std::move(build), {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
                   const auto end = [&](std::uint64_t which) {
                     const std::uint64_t random = draw(options.seed, 2 * edge + which);
                     return static_cast<VertexId>(below(random, options.vertices));
                   };
                   return {end(0), end(1)};
                 });
}

}  // namespace outcore
