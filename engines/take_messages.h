// SPDX-License-Identifier: Apache-2.0
// Asks a program for the messages of vertices whose degrees are known: `Degrees` has degree(v), as
// the index of a layout does.
#pragma once

#include <span>

#include "engines/program.h"

namespace outcore {

template <typename Degrees>
Source source_of(const Degrees& degrees, VertexId v) {
  return {v, static_cast<std::uint32_t>(degrees.degree(v))};
}

// Takes the messages of `vertices` into their slots of a dense array; neighbours share a call.
template <typename Degrees>
void take_messages(Program& program, const Degrees& degrees, std::span<const VertexId> vertices,
                   Messages dense) {
  constexpr std::size_t kSourcesAtOnce = 64;
  Source sources[kSourcesAtOnce];
  for (std::size_t i = 0; i < vertices.size();) {
    const VertexId first = vertices[i];
    std::size_t count = 0;
    while (count < kSourcesAtOnce && i < vertices.size() && vertices[i] == first + count) {
      sources[count++] = source_of(degrees, vertices[i++]);
    }
    program.begin({sources, count}, dense.from(first));
  }
}

}  // namespace outcore
