// SPDX-License-Identifier: Apache-2.0
// Shards: the in-edges, or out-edges, of the vertices of an interval (LOSC, section 3.1). Lists lie
// one behind the other by id (pack csr), so the shard of any interval is a run of neighbouring
// blocks, sorted by vertex. It shares its first and its last block with its neighbours.
#pragma once

#include <algorithm>
#include <vector>

#include "common/executor.h"
#include "storage/layout/layout.h"

namespace outcore {

// The first of [begin, end) for which f does not hold. REQUIRES: it holds for all before that one.
template <typename F>
VertexId first_where_not(VertexId begin, VertexId end, const F& f) {
  while (begin < end) {
    const VertexId middle = begin + (end - begin) / 2;
    if (f(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// Blocks [first, end) of a file.
struct Shard {
  BlockId first = 0;
  BlockId end = 0;
  [[nodiscard]] std::uint64_t blocks() const { return end - first; }
};

// All shards of one direction, however the vertices are cut into intervals. Memory: 8 bytes for
// each 4096 vertices. Thread-safe once it is made.
class Shards {
 public:
  // REQUIRES: no list of the layout stands in its index.
  Shards(const Layout& layout, Direction direction, Executor& executor);

  [[nodiscard]] std::uint32_t file() const { return file_; }
  [[nodiscard]] std::uint64_t block_bytes() const { return block_bytes_; }
  [[nodiscard]] const ListIndex& index() const { return *index_; }
  [[nodiscard]] BlockId blocks() const { return blocks_; }  // of the file
  // Where v's list begins, in bytes of the file; that of a vertex without edges where the next list
  // does, if not a little before.
  [[nodiscard]] std::uint64_t position(VertexId v) const {
    return (v < index_->listed() ? index_->address(v).position : end_) * slot_bytes_;
  }
  // That the lists take, coded.
  [[nodiscard]] std::uint64_t bytes(VertexRange range) const {
    return position(range.end) - position(range.begin);
  }
  [[nodiscard]] Shard shard(VertexRange range) const;
  [[nodiscard]] EdgeIndex edges(VertexRange range) const;

  // The first vertex of [begin, end) whose list begins at byte `position` or behind; `end` if there
  // is none.
  [[nodiscard]] VertexId at(std::uint64_t position, VertexId begin, VertexId end) const;

 private:
  static constexpr VertexId kGroup = 4096;
  [[nodiscard]] EdgeIndex edges_before(VertexId v) const;

  const ListIndex* index_;
  std::uint32_t file_;
  std::uint64_t block_bytes_;
  std::uint64_t slot_bytes_;
  BlockId blocks_;
  std::uint64_t end_;                    // of all lists, in slots
  std::vector<EdgeIndex> edges_before_;  // each group of kGroup vertices
};

}  // namespace outcore
