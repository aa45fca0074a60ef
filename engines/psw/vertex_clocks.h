// SPDX-License-Identifier: Apache-2.0
// What of the values on a vertex's in-edges is news to it. A value stays on its edge after it was
// heard, and a mark there would make hearing a second write of all values. So memory says when each
// vertex last spoke and last heard, in *steps*: one a sub-interval that is updated.
//
// Within a step, vertices that share an edge are updated one after another, in order of ids, each
// hearing before it speaks. So of two alike steps the ids tell which came first.
//
// Threads: of one vertex hear() and speak() are called by one thread at a time. is_news() may ask
// for a source that speaks meanwhile, where `alike_is_news`. A source writes its values before its
// clock (release), and whoever sees the clock (acquire) reads these values or newer ones, never
// what another program left on the edge. What is not seen is heard in the next pass: the source has
// the target updated again.
//
// Memory: 8 bytes a vertex.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace outcore {

class VertexClocks {
 public:
  using Step = std::uint32_t;

  // As if nobody had said anything. Steps begin with kFirst.
  void start(VertexId vertices) {
    spoke_.assign(vertices, kNever);
    heard_.assign(vertices, kBefore);
  }
  [[nodiscard]] static constexpr Step first_step() { return kBefore + 1; }

  // v hears what is news, in this step; returns when it did before.
  Step hear(VertexId v, Step now) {
    const Step before = heard_[v];
    heard_[v] = now;
    return before;
  }
  // REQUIRES: u's values are written.
  void speak(VertexId u, Step now) {
    std::atomic_ref(spoke_[u]).store(now, std::memory_order_release);
  }
  // Is what u says news to v, which last heard in step `before`?
  [[nodiscard]] bool is_news(VertexId u, VertexId v, Step before, bool alike_is_news) const {
    const Step spoke =
        std::atomic_ref(const_cast<Step&>(spoke_[u])).load(std::memory_order_acquire);
    return spoke > before || (spoke == before && (alike_is_news || u >= v));
  }
  [[nodiscard]] bool spoke_in(VertexId u, Step step) const { return spoke_[u] == step; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (spoke_.capacity() + heard_.capacity()) * sizeof(Step);
  }

 private:
  static constexpr Step kNever = 0;
  static constexpr Step kBefore = 1;

  std::vector<Step> spoke_;
  std::vector<Step> heard_;
};

}  // namespace outcore
