// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/vertex_queue.h"

namespace outcore {

void VertexQueue::build(const Frontier& readers, const ListIndex& index) {
  vertices_.clear();
  blockless_.clear();
  readers.for_each([&](VertexId v) {
    (index.is_inline(index.degree(v)) ? blockless_ : vertices_).push_back(v);
  });
  next_.store(0, std::memory_order_relaxed);  // the executor tells the workers
}

std::span<const VertexId> VertexQueue::take() {
  // Relaxed: hands out disjoint parts of what the executor has published.
  const std::size_t first = next_.fetch_add(kTurn, std::memory_order_relaxed);
  if (first >= vertices_.size()) return {};
  return std::span(vertices_).subspan(first, std::min(kTurn, vertices_.size() - first));
}

std::uint64_t VertexQueue::memory_bytes() const {
  return (vertices_.capacity() + blockless_.capacity()) * sizeof(VertexId);
}

}  // namespace outcore
