// SPDX-License-Identifier: Apache-2.0
#include "engines/layout_graph.h"

namespace outcore {

std::uint64_t take_messages(Program& program, const ListIndex& index,
                            std::span<const VertexId> vertices, Messages dense) {
  std::uint64_t edges = 0;
  constexpr std::size_t kBatch = 64;
  Source sources[kBatch];
  for (std::size_t i = 0; i < vertices.size();) {
    const VertexId first = vertices[i];
    std::size_t count = 0;
    while (count < kBatch && i < vertices.size() && vertices[i] == first + count) {
      sources[count] = source_of(index, vertices[i++]);
      edges += sources[count++].degree;
    }
    program.begin({sources, count}, dense.from(first));
  }
  return edges;
}

}  // namespace outcore
