// SPDX-License-Identifier: Apache-2.0
// What a store counts of its work. Each thread has its own, which the store adds up.
#pragma once

#include <cstdint>
#include <vector>

namespace outcore::evolving {

// By one thread, in buffering and flushing.
struct WorkCounters {
  std::uint64_t moves = 0;         // buffers that moved up a layer
  std::uint64_t blocks = 0;        // written to chains
  std::uint64_t block_bytes = 0;   // of all blocks, with their free ends
  std::uint64_t full_blocks = 0;   // blocks that were written because a buffer was full
  std::uint64_t block_writes = 0;  // 1 a block, or 1 an edge where edges are written one by one
  std::uint64_t copied_partitions = 0;  // for a snapshot

  WorkCounters& operator+=(const WorkCounters& other) {
    moves += other.moves;
    blocks += other.blocks;
    block_bytes += other.block_bytes;
    full_blocks += other.full_blocks;
    block_writes += other.block_writes;
    copied_partitions += other.copied_partitions;
    return *this;
  }
};

// Of the lists on one memory node.
struct NodeCounters {
  std::uint64_t entries = 0;      // that buffering phases took into them
  std::uint64_t chain_bytes = 0;  // of the bulks that their chains lie in
};

struct StoreCounters : WorkCounters {
  std::uint64_t updates = 0;
  std::uint64_t removals = 0;
  std::uint64_t buffering_phases = 0;
  std::uint64_t greatest_phase = 0;     // in edges
  std::uint64_t flushes = 0;            // of all buffers
  std::uint64_t forced_flushes = 0;     // flushes because the pool was full
  std::uint64_t compactions = 0;        // of all lists
  std::uint64_t removals_missed = 0;    // found by compactions: of edges that were not there
  std::uint64_t buffer_bytes = 0;       // of vertex buffers, now
  std::uint64_t most_buffer_bytes = 0;  // at their greatest
  std::uint64_t pool_bytes = 0;         // of the bulks that they lie in, at their greatest
  std::uint64_t chain_bytes = 0;        // of the bulks that the chains lie in
  std::vector<NodeCounters> nodes;      // empty: nothing is placed
  double shard_seconds = 0;
  double buffer_seconds = 0;
  double flush_seconds = 0;
};

}  // namespace outcore::evolving
