// SPDX-License-Identifier: Apache-2.0
// What one round reads: the blocks that hold the lists of some vertices, each block once,
// ascending, with the vertices that want something from it (CAVE, section 4.2, the first half of
// ProcessQueueBlock: `block_set` and `block[block_idx]`).
//
// A list in several blocks is entered in each of them. Memory: 4 bytes per (block, vertex), 16 per
// wanted block, and while building 4 per block of the file.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/executor.h"
#include "common/unfilled.h"
#include "engines/frontier.h"
#include "storage/layout/layout.h"

namespace outcore {

class BlockQueue {
 public:
  // Whether vertices without edges are named too, among the blockless.
  enum class Edgeless : bool { named, left_out };
  // Lists of the vertices of `readers` in `index`; those that stand in the index want no block.
  // `total_blocks`: of the file. By all workers where there are many readers; not at all where
  // the same was asked for every vertex the last time too: then false, and all is as it was.
  bool build(Executor& executor, const Frontier& readers, const ListIndex& index,
             BlockId total_blocks, Edgeless edgeless);

  [[nodiscard]] std::span<const BlockId> blocks() const { return blocks_; }
  // The vertices of the i-th block.
  [[nodiscard]] std::span<const VertexId> vertices(std::size_t i) const {
    return std::span(vertices_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  // Vertices whose lists lie in more than one block, ascending.
  [[nodiscard]] std::span<const VertexId> straddlers() const { return straddlers_; }
  // Vertices of the last build() whose lists lie in no block: they stand in the index or are empty.
  [[nodiscard]] std::span<const VertexId> blockless() const { return blockless_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  // What is known apart from blocks, for some of the readers. On cache lines of its own, because
  // each worker writes its own for every vertex (as neighbours they took 0.25 s of PageRank's 1.8 s
  // of processor time on Kronecker 23, in processes where two shared a line).
  struct alignas(64) Aside {
    std::vector<VertexId> straddlers;
    std::vector<VertexId> blockless;
  };

  void build_by_sorting(const Frontier& readers, const ListIndex& index);
  void build_by_counting(Executor& executor, const Frontier& readers, const ListIndex& index,
                         BlockId total_blocks);
  void add(const Aside& aside);
  // Where v's list lies; nullopt for one that lies in no block.
  std::optional<ListAddress> note_list(VertexId v, const ListIndex& index, Aside& aside) const;

  std::vector<BlockId> blocks_;
  std::vector<std::uint64_t> starts_;
  Unfilled<VertexId> vertices_;
  std::vector<VertexId> straddlers_;
  std::vector<VertexId> blockless_;
  // Of the last build(); null if it was not for every vertex.
  const ListIndex* everybodys_ = nullptr;
  Edgeless edgeless_ = Edgeless::named;
};

}  // namespace outcore
