// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_bipartite(const BipartiteOptions& options, const std::filesystem::path& folder,
                        unsigned threads, bool force) {
  const std::uint64_t left = options.left;
  const std::uint64_t right = options.right;
  if (left < 1 || right < 1 || left > kNoVertex || right > kNoVertex || left + right > kNoVertex) {
    throw usage_error(
        fmt::format("--left {} --right {}: expected 1 of each or more, and up to {} vertices in "
                    "all",
                    left, right, kNoVertex));
  }
  check_vertices_and_degree(left, options.degree);
  BuildOptions build = simple_graph(options.symmetric, threads, force);
  build.provenance = {{"generator", "bipartite"}, {"left", left},
                      {"right", right},           {"degree", options.degree},
                      {"seed", options.seed},     {"symmetric", options.symmetric}};
  generate_edges(
      folder, static_cast<VertexId>(left + right), left * options.degree, std::move(build),
      {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
        const std::uint64_t target = left + below(draw(options.seed, edge), right);
        return {static_cast<VertexId>(edge / options.degree), static_cast<VertexId>(target)};
      });
}

}  // namespace outcore
