// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

namespace {

// Each pair of a clique once: first all neighbours on a ring of its vertices, then those at
// distance two, and so on. Of an even number of vertices the farthest pairs are half as many.
Edge pair_of(std::uint64_t number, std::uint64_t size) {
  const std::uint64_t one = number % size;
  const std::uint64_t other = (one + 1 + number / size) % size;
  return {static_cast<VertexId>(one), static_cast<VertexId>(other)};
}

}  // namespace

void generate_cliques(const CliquesOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force) {
  const std::uint64_t cliques = options.cliques;
  const std::uint64_t size = options.size;
  const bool fits = cliques >= 1 && cliques <= kNoVertex && size >= 1 && size <= 65536 &&
                    cliques * size <= kNoVertex;
  if (!fits) {
    throw usage_error(
        fmt::format("--cliques {} --size {}: expected 1 to 65536 vertices in each and 1 to {} in "
                    "all",
                    cliques, size, kNoVertex));
  }
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "cliques"},
                      {"cliques", cliques},
                      {"size", size},
                      {"chain", options.chain},
                      {"seed", options.seed}};
  const std::uint64_t pairs = size * (size - 1) / 2;
  const std::uint64_t inside = cliques * pairs;
  const std::uint64_t links = options.chain ? cliques - 1 : 0;
  generate_edges(folder, static_cast<VertexId>(cliques * size), inside + links, std::move(build),
                 {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
                   if (edge >= inside) {  // the last of a clique, the first of the next
                     const auto next = static_cast<VertexId>((edge - inside + 1) * size);
                     return {next - 1, next};
                   }
                   const auto first = static_cast<VertexId>(edge / pairs * size);
                   const auto [one, other] = pair_of(edge % pairs, size);
                   return {first + one, first + other};
                 });
}

}  // namespace outcore
