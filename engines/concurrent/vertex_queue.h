// SPDX-License-Identifier: Apache-2.0
// What one round reads when it goes vertex by vertex: the vertices whose lists are wanted, in the
// order of the frontier, which workers take from in turns (CAVE, section 4.2, ProcessQueue).
//
// Memory: 4 bytes for each vertex.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "engines/frontier.h"
#include "storage/layout/layout.h"

namespace outcore {

class VertexQueue {
 public:
  // Lists of the vertices of `readers` in `index`.
  void build(const Frontier& readers, const ListIndex& index);

  // The next few vertices, for one worker; empty at the end. From any thread.
  [[nodiscard]] std::span<const VertexId> take();

  // Vertices whose lists lie in blocks.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }
  // Those whose lists lie in no block: they stand in the index or are empty.
  [[nodiscard]] std::span<const VertexId> blockless() const { return blockless_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

  static constexpr std::size_t kTurn = 16;  // vertices that a worker takes at once

 private:
  std::vector<VertexId> vertices_;
  std::vector<VertexId> blockless_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace outcore
