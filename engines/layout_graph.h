// SPDX-License-Identifier: Apache-2.0
// A layout as engines hand it to programs. The Graph borrows from the Layout.
#pragma once

#include "engines/program.h"
#include "storage/layout/layout.h"

namespace outcore {

inline Graph graph_of(const Layout& layout) {
  const LayoutFacts& facts = layout.facts();
  return {.id_space = facts.id_space,
          .vertices = facts.vertices,
          .edges = facts.edges,
          .symmetric = facts.symmetric,
          .originals = layout.originals(),
          .ranked = layout.originals().empty()};
}

inline Source source_of(const ListIndex& index, VertexId v) {
  return {v, static_cast<std::uint32_t>(index.degree(v))};
}

// Takes the messages of `vertices` into their slots of a dense array; neighbours in one call.
void take_messages(Program& program, const ListIndex& index, std::span<const VertexId> vertices,
                   Messages dense);

}  // namespace outcore
