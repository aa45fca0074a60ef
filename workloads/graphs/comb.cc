// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

void generate_comb(const CombOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force) {
  const bool fits = options.spine >= 1 && options.spine <= kNoVertex && options.tooth < kNoVertex &&
                    options.spine * (options.tooth + 1) <= kNoVertex;
  if (!fits) {
    throw usage_error(fmt::format("--spine {} --tooth {}: expected 1 to {} vertices in all",
                                  options.spine, options.tooth, kNoVertex));
  }
  BuildOptions build;
  build.edges = Edges::mirrored;
  build.threads = threads_or_all(threads);
  build.force = force;
  build.provenance = {{"generator", "comb"},
                      {"spine", options.spine},
                      {"tooth", options.tooth},
                      {"ids", name_of(options.ids)},
                      {"seed", options.seed}};
  const auto tooth = static_cast<VertexId>(options.tooth);
  const auto vertices = static_cast<VertexId>(options.spine * (options.tooth + 1));
  generate_by_vertex(folder, vertices, std::move(build), {options.ids, options.seed},
                     [&](VertexId place, std::vector<Edge>& edges) {
                       const VertexId along = place % (tooth + 1);
                       if (along < tooth) edges.emplace_back(place, place + 1);
                       const bool on_spine = along == 0;
                       if (on_spine && vertices - place > tooth + 1) {
                         edges.emplace_back(place, place + tooth + 1);
                       }
                     });
}

}  // namespace outcore
