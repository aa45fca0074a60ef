// SPDX-License-Identifier: Apache-2.0
// What the lists of a snapshot consist of, for readers that keep more of them than one list at a
// time: the record of each vertex, its buffer, its chain, and its entries that are only logged.
// REQUIRES: the snapshot is prepared, and outlives this.
#pragma once

#include <span>

#include "storage/evolving/snapshot.h"

namespace outcore::evolving {

class SnapshotView {
 public:
  SnapshotView(const Snapshot& snapshot, Direction direction)
      : snapshot_(snapshot), side_(snapshot.side_of(direction)) {}

  [[nodiscard]] const VertexRecord& record(VertexId v) const { return snapshot_.record(side_, v); }
  [[nodiscard]] const VertexRecord* records(std::size_t partition) const {
    return snapshot_.parts_.partitions[side_][partition]->records.data();
  }
  [[nodiscard]] const VertexPlaces& places() const { return snapshot_.parts_.places; }
  [[nodiscard]] const std::optional<Placement>& placement() const {
    return snapshot_.parts_.placement;
  }
  [[nodiscard]] unsigned side() const { return side_; }
  [[nodiscard]] const BufferPool& pool() const { return *snapshot_.parts_.pool; }
  [[nodiscard]] const AdjacencyChain& chain() const { return *snapshot_.parts_.chain; }
  // In the order of the log.
  [[nodiscard]] std::span<const Sharded> logged(VertexId v) const {
    return snapshot_.logged(side_, v);
  }
  // Some entry of v, or of its log, is a removal.
  [[nodiscard]] bool has_removals(VertexId v) const {
    const std::vector<std::uint64_t>& bits = snapshot_.sides_[side_].has_removals;
    return !bits.empty() && (bits[v / 64] >> (v % 64) & 1) != 0;
  }
  // All entries of the direction that are only logged.
  [[nodiscard]] std::uint64_t logged_entries() const {
    return snapshot_.sides_[side_].logged.size();
  }

 private:
  const Snapshot& snapshot_;
  unsigned side_;
};

}  // namespace outcore::evolving
