// SPDX-License-Identifier: Apache-2.0
#include "engines/layout_graph.h"

namespace outcore {

void take_messages(Program& program, const ListIndex& index, std::span<const VertexId> vertices,
                   Messages dense) {
  constexpr std::size_t kSourcesAtOnce = 64;
  Source sources[kSourcesAtOnce];
  for (std::size_t i = 0; i < vertices.size();) {
    const VertexId first = vertices[i];
    std::size_t count = 0;
    while (count < kSourcesAtOnce && i < vertices.size() && vertices[i] == first + count) {
      sources[count++] = source_of(index, vertices[i++]);
    }
    program.begin({sources, count}, dense.from(first));
  }
}

}  // namespace outcore
