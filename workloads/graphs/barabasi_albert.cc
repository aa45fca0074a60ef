// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/barabasi_albert.h"

#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

// Half of all ends are new vertices, so two steps lead to one on average.
VertexId end_of_edge(std::uint64_t end, unsigned degree, std::uint64_t seed) {
  while (end % 2 == 1) {
    // `end` has up to 44 bits, more than below() takes; the bias of % is less than 2^-19.
    end = draw(seed, end) % end;
  }
  return static_cast<VertexId>(end / 2 / degree);
}

void generate_barabasi_albert(const BarabasiAlbertOptions& options,
                              const std::filesystem::path& folder, unsigned threads, bool force) {
  check_vertices_and_degree(options.vertices, options.degree);
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "barabasi-albert"},
                      {"vertices", options.vertices},
                      {"degree", options.degree},
                      {"seed", options.seed}};
  generate_edges(folder, static_cast<VertexId>(options.vertices), options.vertices * options.degree,
                 std::move(build), {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
                   return {static_cast<VertexId>(edge / options.degree),
                           end_of_edge(2 * edge + 1, options.degree, options.seed)};
                 });
}

}  // namespace outcore
