// SPDX-License-Identifier: Apache-2.0
// Exactly the first P updates of a stream, for as long as the snapshot lives, while the store goes
// on. It may outlive the store.
//
// Making one copies the pointers to the partitions of vertex records and the edges that are logged
// and not buffered (less than a threshold). It shares partitions, buffers and blocks with the
// store: entries never move within a buffer or a block, so a record says with its counts which of
// them belong to the snapshot. The store copies a partition before it changes it, and frees what it
// drops when the last snapshot that may read it is gone (live_snapshots.h).
//
// prepare() is the slower part, and needs no lock of the store: it sorts the logged edges, and
// finds the degrees of lists in which something was removed. Any number of threads may read a
// snapshot that is prepared, each by a ListReader of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/ids.h"
#include "storage/evolving/adjacency_chain.h"
#include "storage/evolving/buffer_pool.h"
#include "storage/evolving/edge_shard.h"
#include "storage/evolving/live_snapshots.h"
#include "storage/evolving/placement.h"
#include "storage/evolving/standing_edges.h"
#include "storage/evolving/vertex_lists.h"

namespace outcore::evolving {

// What a store hands to its snapshot.
struct SnapshotParts {
  std::uint64_t updates = 0;
  std::uint64_t removals = 0;
  std::uint64_t removals_missed = 0;  // found by compactions
  VertexId vertices = 0;
  bool symmetric = false;
  VertexPlaces places;
  std::optional<Placement> placement;  // none: on one memory node
  std::array<PartitionTable, 2> partitions;
  std::vector<LogEdge> logged;
  std::shared_ptr<const AdjacencyChain> chain;
  std::shared_ptr<const BufferPool> pool;
  std::shared_ptr<LiveSnapshots> live;
};

class Snapshot {
 public:
  explicit Snapshot(SnapshotParts parts);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  void prepare(unsigned threads);

  // P, and the number of vertices that occur in the first P updates, from 0 to the greatest.
  [[nodiscard]] std::uint64_t updates() const { return parts_.updates; }
  [[nodiscard]] VertexId vertices() const { return parts_.vertices; }
  [[nodiscard]] bool symmetric() const { return parts_.symmetric; }

  // REQUIRES of all below: prepare() was called.
  // Edges that stand. In a symmetric store an edge counts at both of its ends, a loop once.
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  // Removals of edges that were not there.
  [[nodiscard]] std::uint64_t removals_missed() const { return removals_missed_; }
  [[nodiscard]] std::uint64_t degree(Direction direction, VertexId v) const;

 private:
  friend class ListReader;
  friend class SnapshotView;
  // One direction.
  struct Side {
    std::vector<Sharded> logged;              // by vertex, then in the order of the log
    std::vector<std::uint64_t> has_logged;    // a bit a vertex
    std::vector<std::uint64_t> has_removals;  // a bit a vertex; empty if there are none
    std::vector<std::pair<VertexId, std::uint64_t>> degrees;  // of those, ascending
  };

  [[nodiscard]] unsigned side_of(Direction direction) const {
    return parts_.symmetric ? 0 : static_cast<unsigned>(direction);
  }
  [[nodiscard]] const VertexRecord& record(unsigned side, VertexId v) const {
    return parts_.partitions[side][parts_.places.partition(v)]->records[parts_.places.index(v)];
  }
  [[nodiscard]] std::span<const Sharded> logged(unsigned side, VertexId v) const;
  [[nodiscard]] std::uint64_t entries(unsigned side, VertexId v) const;
  void index_logged(unsigned side);
  void resolve(unsigned side, unsigned threads);

  SnapshotParts parts_;
  std::uint64_t number_ = 0;
  std::array<Side, 2> sides_;
  std::uint64_t edges_ = 0;
  std::uint64_t removals_missed_ = 0;
  bool prepared_ = false;
};

// Reads the lists of a snapshot, for one thread.
class ListReader {
 public:
  explicit ListReader(const Snapshot& snapshot) : snapshot_(snapshot) {}

  // Calls f with the neighbours of v in pieces, the newest first: logged, buffered, then block by
  // block. A piece is valid until the next call.
  template <typename F>
  void for_each_piece(Direction direction, VertexId v, F&& f) {
    const unsigned side = snapshot_.side_of(direction);
    if (has_removals(side, v)) {
      standing_.clear();
      read_standing(side, v);
      if (!standing_.empty()) f(std::span<const VertexId>(standing_));
      return;
    }
    if (const std::span<const Sharded> logged = snapshot_.logged(side, v); !logged.empty()) {
      standing_.clear();
      for (const Sharded& entry : logged) standing_.push_back(entry.entry);
      f(std::span<const VertexId>(standing_));
    }
    const VertexRecord& record = snapshot_.record(side, v);
    if (record.used > 0) {
      f(std::span<const VertexId>(snapshot_.parts_.pool->entries(record.buffer), record.used));
    }
    snapshot_.parts_.chain->for_each_block(record.chain, f);
  }

 private:
  friend class Snapshot;
  [[nodiscard]] bool has_removals(unsigned side, VertexId v) const {
    const std::vector<std::uint64_t>& bits = snapshot_.sides_[side].has_removals;
    return !bits.empty() && (bits[v / 64] >> (v % 64) & 1) != 0;
  }
  // Puts what stands behind standing_; returns how many removals were of nothing.
  std::uint64_t read_standing(unsigned side, VertexId v);

  const Snapshot& snapshot_;
  std::vector<VertexId> standing_;
  StandingEdges filter_;
};

}  // namespace outcore::evolving
