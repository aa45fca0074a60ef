// SPDX-License-Identifier: Apache-2.0
// The graph as a program sees it: its id space, its size, what the lists carry, and the way from
// layout ids back to canonical ids.
//
// Programs and engines use *layout ids*. A canonical id is the vertex's position in the imported
// file, which is the same in every layout. Random choices and tie-breaking use canonical ids, so
// that answers are the same in every layout.
//
// A Graph is small and copied freely. `originals` belongs to the opened layout: a copy must not
// outlive it.
// outlive it.
#pragma once

#include <cstdint>

#include "common/hash.h"
#include "common/ids.h"
#include "storage/layout/original_ids.h"

namespace outcore {

struct Graph {
  VertexId id_space = 0;  // ids are [0, id_space), including virtual ones
  VertexId vertices = 0;  // real ones
  EdgeIndex edges = 0;
  bool symmetric = false;
  const OriginalIds* originals = nullptr;  // null: a layout id is the canonical id
  // The weights that pieces carry: none, stored hashed_weight()s, or the graph's own, the smallest
  // of which is `least_weight`.
  enum class Weights : std::uint8_t { none, hashed, given };
  Weights stored_weights = Weights::none;
  bool weighted = false;  // the graph has its own weights, stored in this layout or not
  float least_weight = 0;
  // Lists of up to so many edges stand in the index: a round over them asks for no block.
  std::uint32_t inline_edges = 0;
  // Lists ascend by canonical id, so the i-th edge of a vertex is the same in every graph with this
  // flag: a program that knows the rank that it wants need not read the rest of the list.
  bool ranked = false;

  [[nodiscard]] VertexId original(VertexId v) const {
    return originals == nullptr ? v : (*originals)[v];
  }
  [[nodiscard]] bool is_real(VertexId v) const {
    return id_space == vertices || originals == nullptr || originals->is_real(v);
  }
  // The weight of an edge in a graph without weights of its own.
  [[nodiscard]] float hashed_weight(VertexId u, VertexId v) const {
    return outcore::hashed_weight(original(u), original(v));
  }
};

}  // namespace outcore
