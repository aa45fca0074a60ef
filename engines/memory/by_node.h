// SPDX-License-Identifier: Apache-2.0
// Vertices by the memory node that their lists lie on: once a round they are divided, and then each
// node's are read by threads that are bound to it (XPGraph, section III-D). To bind a thread anew
// for each vertex would take longer than to read a list from another node.
//
// Lists that may be placed have
//
//   placement()  where they lie (storage/evolving/placement.h); null if nothing is placed
//   side()       which of the placement's sides they are
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "engines/memory/loops.h"
#include "storage/evolving/placement.h"

namespace outcore {

template <typename Lists>
bool is_placed(const Lists& lists) {
  if constexpr (requires { lists.placement(); }) {
    return lists.placement() != nullptr;
  } else {
    return false;
  }
}

class VerticesByNode {
 public:
  VerticesByNode(const evolving::Placement& placement, unsigned side)
      : placement_(placement), side_(side), parts_(placement.vertex_places().sub_graphs()) {}

  void add(VertexId v) { parts_[v % parts_.size()].push_back(v); }
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const std::vector<VertexId>& part : parts_) sum += part.size();
    return sum;
  }

  // Calls f(batch of at most kBatch vertices, worker), in parallel, on the node of the vertices.
  template <typename F>
  void for_batches([[maybe_unused]] unsigned threads, F&& f) const {
    Guard guard;
    std::vector<std::atomic<std::size_t>> next(parts_.size());
#pragma omp parallel num_threads(threads)
    {
      const int worker = worker_number();
      const auto step = static_cast<std::size_t>(team_size());
      // With fewer threads than parts, a thread has several, one after the other.
      for (std::size_t part = static_cast<std::size_t>(worker) % parts_.size();
           part < parts_.size(); part += step) {
        const evolving::Placement::Bound bound(placement_, static_cast<unsigned>(part), side_);
        guard.run([&] { take_batches(parts_[part], next[part], worker, f); });
      }
    }
    guard.rethrow();
  }

 private:
  template <typename F>
  static void take_batches(const std::vector<VertexId>& part, std::atomic<std::size_t>& next,
                           int worker, F&& f) {
    for (;;) {
      // Relaxed: the counter hands out batches and publishes no other data.
      const std::size_t first = next.fetch_add(kBatch, std::memory_order_relaxed);
      if (first >= part.size()) return;
      f(std::span(part).subspan(first, std::min(kBatch, part.size() - first)), worker);
    }
  }

  const evolving::Placement& placement_;
  const unsigned side_;
  std::vector<std::vector<VertexId>> parts_;  // by sub-graph
};

}  // namespace outcore
