// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/barabasi_albert.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/streams/stream_output.h"

namespace outcore {

// The first vertex has nothing to lead to, so edges begin with the second's.
StreamCounts stream_growth(const GrowthOptions& options, const StreamTarget& target) {
  check_stream_vertices(options.vertices);
  check_vertices_and_degree(options.vertices, options.degree);
  return stream_by_number(
      target, (options.vertices - 1) * options.degree, [&](std::uint64_t number) {
        const std::uint64_t edge = number + options.degree;
        const auto newcomer = static_cast<VertexId>(edge / options.degree);
        const VertexId found = end_of_edge(2 * edge + 1, options.degree, options.seed);
        return evolving::Update{newcomer, found == newcomer ? newcomer - 1 : found};
      });
}

}  // namespace outcore
