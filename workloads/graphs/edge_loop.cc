// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/edge_loop.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

void check_vertices(std::uint64_t vertices) {
  if (vertices < 1 || vertices > kNoVertex) {
    throw usage_error(fmt::format("--vertices {}: expected 1 to {}", vertices, kNoVertex));
  }
}

void check_vertices_and_degree(std::uint64_t vertices, unsigned degree) {
  check_vertices(vertices);
  if (degree < 1 || degree > 4096) {
    throw usage_error(fmt::format("--degree {}: expected 1 to 4096", degree));
  }
}

BuildOptions simple_graph(bool symmetric, unsigned threads, bool force) {
  BuildOptions build;
  build.edges = symmetric ? Edges::mirrored : Edges::directed;
  build.drop_loops = true;
  build.drop_duplicates = true;
  build.threads = threads_or_all(threads);
  build.force = force;
  return build;
}

}  // namespace outcore
