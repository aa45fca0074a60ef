// SPDX-License-Identifier: Apache-2.0
// Trees of linked vertices, which wcc-sample and wcc with form=sample make of a graph: in a tree
// all are of one component, and a parent always has a smaller id. Links only ever join trees, so
// any order gives the same components.
#pragma once

#include "engines/vertex_program.h"
#include "workloads/components.h"

namespace outcore {

struct Afforest : VertexProgram<Afforest, VertexId> {
  State<VertexId> parent;  // a root is its own

  explicit Afforest(Engine& engine) : parent(engine.state<VertexId>("parent")) {
    engine.for_each_range([&](VertexRange range) {
      for (VertexId v = range.begin; v < range.end; ++v) parent[v] = v;
    });
  }

  // Hangs the larger of the two roots below the smaller one. Threads may do so at the same time: if
  // another thread has hung the larger root meanwhile, the search for the roots continues from
  // there. Relaxed: a parent is a smaller id of the same component whenever it is read.
  void link(VertexId u, VertexId v) {
    VertexId a = root(u);
    VertexId b = root(v);
    while (a != b) {
      VertexId above = std::max(a, b);
      const VertexId low = std::min(a, b);
      if (std::atomic_ref(parent[above])
              .compare_exchange_strong(above, low, std::memory_order_relaxed)) {
        return;
      }
      a = root(above);
      b = root(low);
    }
  }
  // On the way, every vertex is moved up to its grandparent, which shortens later searches.
  // Threads may do so at the same time: whatever they write is a smaller id of the same component,
  // and roots stay roots.
  VertexId root(VertexId v) {
    VertexId above = peek(parent[v]);
    while (above != v) {
      const VertexId higher = peek(parent[above]);
      // Most trees are flat: writing what stands there would take the cache line from other
      // threads.
      if (higher != above) poke(parent[v], higher);
      v = above;
      above = higher;
    }
    return v;
  }

  Message emit(Source u) { return u.v; }
  const void* state(VertexId v) const { return &parent[v]; }
  // Always shared: accept may change roots of other vertices, whatever access to v the engine
  // grants.
  template <Access A>
  Priority accept(VertexId v, Message u) {
    link(u, v);
    return kQuiet;
  }
};

// What the sampled vertices say.
struct Sample {
  VertexId largest = kNoVertex;  // the root that most of them have
  double share = 0;              // of those that have neighbours, so far as is known
};

// Looks at `samples` hashed vertices. One that is a root has no neighbours yet, but for one in each
// component, so it says nothing.
Sample look(Afforest& trees, const Graph& graph, std::uint64_t samples);

// The smallest canonical id of each vertex's component, in the trees' own array.
State<VertexId> labels(Engine& engine, Afforest&& trees);

}  // namespace outcore
