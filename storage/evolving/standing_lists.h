// SPDX-License-Identifier: Apache-2.0
// One direction of a snapshot's lists, for queries that read all of them many times. Degrees count
// what stands. A list comes in pieces, the newest first: what is logged, then the buffer, then the
// chain, block by block (XPGraph, section IV-B). Pieces stay where they are.
//
// Buffers and blocks are read where they lie. What cannot be, is copied once, when this is made:
// the entries that are only logged, of the vertices that have some, and the whole list where
// something was removed from it. So a removal is resolved once, not in every round.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/bitmap.h"
#include "common/unfilled.h"
#include "storage/evolving/placement.h"
#include "storage/evolving/snapshot_view.h"

namespace outcore::evolving {

class StandingLists {
 public:
  StandingLists() = default;
  // Of the vertices below `vertices`, those of the snapshot at least. REQUIRES: the snapshot is
  // prepared, and outlives this.
  StandingLists(const Snapshot& snapshot, Direction direction, VertexId vertices, unsigned threads);

  [[nodiscard]] std::uint64_t degree(VertexId v) const { return degrees_[v]; }
  // The vertices that have edges.
  [[nodiscard]] const Bitmap& linked() const { return linked_; }

  // Calls f with each piece, as long as it returns true. Tells the medium of what it reads of the
  // chain, if there is one; then one thread reads.
  template <typename F>
  void for_each_piece(VertexId v, F&& f) const {
    if (degrees_[v] == 0) return;
    const Copy copy = copies_.empty() ? Copy{} : copies_[copy_of_[v]];
    if (copy.count > 0 && !f(std::span<const VertexId>(copied_.data() + copy.first, copy.count)))
      return;
    if (copy.is_whole) return;
    const VertexRecord& record = this->record(v);
    if (record.used > 0 &&
        !f(std::span<const VertexId>(pool_->entries(record.buffer), record.used)))
      return;
    chain_->read_while(record.chain, f);
  }
  // The degree of v and its record will be read soon. (Like this one, what only prefetches is
  // always inlined: GCC takes a function without effects for one whose calls may be left out.)
  [[gnu::always_inline]] void prefetch_place(VertexId v) const {
    __builtin_prefetch(&degrees_[v]);
    if (places_.partition(v) < records_.size()) __builtin_prefetch(&record(v));
  }
  // The record of v and what it leads to will be read soon.
  [[gnu::always_inline]] void prefetch(VertexId v) const {
    if (degrees_[v] == 0) return;
    const VertexRecord& record = this->record(v);
    for (std::uint32_t i = 0; i < record.used; i += 16)
      __builtin_prefetch(pool_->entries(record.buffer) + i);
    if (record.chain != 0) chain_->prefetch(record.chain);
  }

  // Where the lists lie; null if they are on one memory node.
  [[nodiscard]] const Placement* placement() const { return placement_ ? &*placement_ : nullptr; }
  [[nodiscard]] unsigned side() const { return side_; }
  // Lists that were copied because something was removed from them.
  [[nodiscard]] std::uint64_t resolved_lists() const { return resolved_; }
  // What is held here beside the store's own memory.
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  struct Copy {
    std::uint64_t first = 0;  // in copied_
    std::uint32_t count = 0;
    bool is_whole = false;  // nothing else of the list stands
  };

  [[nodiscard]] const VertexRecord& record(VertexId v) const {
    return records_[places_.partition(v)][places_.index(v)];
  }
  void copy_lists(const SnapshotView& view, const Snapshot& snapshot, Direction direction);

  VertexPlaces places_;
  std::optional<Placement> placement_;
  unsigned side_ = 0;
  std::vector<const VertexRecord*> records_;  // a partition each
  const BufferPool* pool_ = nullptr;
  const AdjacencyChain* chain_ = nullptr;
  Unfilled<std::uint32_t> degrees_;
  Bitmap linked_;
  // Empty if nothing was copied; otherwise copies_[0] is that of all other vertices, and empty.
  std::vector<std::uint32_t> copy_of_;
  std::vector<Copy> copies_;
  std::vector<VertexId> copied_;
  std::uint64_t resolved_ = 0;
};

}  // namespace outcore::evolving
