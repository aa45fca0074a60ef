// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

const char* name_of(IdOrder order) {
  return order == IdOrder::in_order   ? "in-order"
         : order == IdOrder::reversed ? "reversed"
                                      : "random";
}

VertexId id_in_order(VertexId place, VertexId vertices, IdOrder order, std::uint64_t seed) {
  if (order == IdOrder::in_order) return place;
  if (order == IdOrder::reversed) return vertices - 1 - place;
  const auto bits = static_cast<unsigned>(std::bit_width(vertices - 1));
  if (bits == 0) return place;
  // A bijection on [0, 2^bits), walked until it lands below `vertices`, is one on these.
  do {
    place = permuted_id(place, bits, seed);
  } while (place >= vertices);
  return place;
}

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
  const auto id = [&](VertexId place) {
    return id_in_order(place, vertices, options.ids, options.seed);
  };
  generate_by_vertex(folder, vertices, std::move(build),
                     [&](VertexId place, std::vector<Edge>& edges) {
                       const VertexId along = place % (tooth + 1);
                       if (along < tooth) edges.emplace_back(id(place), id(place + 1));
                       const bool on_spine = along == 0;
                       if (on_spine && vertices - place > tooth + 1) {
                         edges.emplace_back(id(place), id(place + tooth + 1));
                       }
                     });
}

}  // namespace outcore
