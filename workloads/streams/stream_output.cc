// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/stream_output.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

void check_stream_file(const StreamTarget& target) {
  if (target.force || !std::filesystem::exists(target.file)) return;
  throw usage_error(fmt::format("{} exists; give --force to replace it", target.file.string()));
}

void check_stream_vertices(std::uint64_t vertices) {
  if (vertices >= 2 && vertices <= evolving::kMostVertices) return;
  throw usage_error(fmt::format("a stream of {} vertices: expected 2 to {}, which a store has",
                                vertices, evolving::kMostVertices));
}

Container open_streamed_graph(const std::filesystem::path& folder) {
  Container graph(folder);
  if (graph.facts().vertices > evolving::kMostVertices)
    check_stream_vertices(graph.facts().vertices);
  return graph;
}

StreamCounts finish_stream(evolving::StreamWriter& writer) {
  writer.finish();
  return {writer.updates(), writer.removals()};
}

}  // namespace outcore
