// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_islands(const IslandsOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force) {
  check_vertices_and_degree(options.vertices, options.degree);
  const std::uint64_t size = options.size;
  const bool fits = size >= 1 && size <= kNoVertex && options.islands <= kNoVertex &&
                    options.vertices + options.islands * size <= kNoVertex;
  if (!fits) {
    throw usage_error(fmt::format(
        "--islands {} --size {}: expected 1 vertex or more on each, and with the {} of the "
        "mainland up to {} in all",
        options.islands, size, options.vertices, kNoVertex));
  }
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "islands"},
                      {"vertices", options.vertices},
                      {"degree", options.degree},
                      {"islands", options.islands},
                      {"size", size},
                      {"seed", options.seed}};
  const std::uint64_t mainland = options.vertices * options.degree;
  const auto all = static_cast<VertexId>(options.vertices + options.islands * size);
  generate_edges(folder, all, mainland + options.islands * (size - 1), std::move(build),
                 {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
                   if (edge >= mainland) {  // along an island's path
                     const std::uint64_t step = edge - mainland;
                     const std::uint64_t first = options.vertices + step / (size - 1) * size;
                     const auto vertex = static_cast<VertexId>(first + step % (size - 1));
                     return {vertex, vertex + 1};
                   }
                   // A vertex's first edge leads to an earlier one, so the mainland is connected.
                   // The first vertex has none: its edge is a loop, which is dropped.
                   const std::uint64_t source = edge / options.degree;
                   const bool to_earlier = edge % options.degree == 0 && source > 0;
                   const std::uint64_t limit = to_earlier ? source : options.vertices;
                   const std::uint64_t target =
                       edge == 0 ? source : below(draw(options.seed, edge), limit);
                   return {static_cast<VertexId>(source), static_cast<VertexId>(target)};
                 });
}

}  // namespace outcore
