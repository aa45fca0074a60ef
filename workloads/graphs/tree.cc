// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_tree(const TreeOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force) {
  check_vertices(options.vertices);
  if (options.children < 1 || options.children > kNoVertex) {
    throw usage_error(fmt::format("--children {}: expected 1 to {}", options.children, kNoVertex));
  }
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "tree"},
                      {"vertices", options.vertices},
                      {"children", options.children},
                      {"seed", options.seed}};
  generate_edges(
      folder, static_cast<VertexId>(options.vertices), options.vertices - 1, std::move(build),
      {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
        return {static_cast<VertexId>(edge / options.children), static_cast<VertexId>(edge + 1)};
      });
}

}  // namespace outcore
