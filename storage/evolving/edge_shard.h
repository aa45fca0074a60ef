// SPDX-License-Identifier: Apache-2.0
// Edge sharding (section IV-A): the edges of a phase are split into lists by ranges of the vertex
// in whose list they will stand. There are more ranges than threads. Each thread gets neighbouring
// ranges with about an equal number of edges, and then works on them alone, without atomics. A
// range is of one sub-graph (vertex_places.h), and its threads are of the memory node of that.
//
// Two passes over the edges: one counts, one stores. Each thread has a part of the edges, the parts
// in the order of the log, so a list keeps the order of the log. Stores are combined into lines of
// 64 bytes, which go past the cache where the processor can do that.
//
// The split lists of a range are then sorted by vertex (sorted()), so that a vertex's new
// neighbours are met together: its record and its buffer are touched once in a phase.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/executor.h"
#include "common/ids.h"
#include "common/numa.h"
#include "storage/evolving/log_edge.h"
#include "storage/evolving/vertex_places.h"

namespace outcore::evolving {

// A new entry in the list of `vertex`.
struct Sharded {
  VertexId vertex;
  Entry entry;
};

// In whose list an edge is to stand.
enum class Ends : std::uint8_t { source, target, both };

class EdgeShard {
 public:
  using Batch = std::pair<std::span<const LogEdge>, std::span<const LogEdge>>;

  // `ranges` 0: by the size of the batch. REQUIRES: there are not more sub-graphs than workers.
  EdgeShard(Executor& executor, unsigned ranges, VertexPlaces places = VertexPlaces());

  // Splits a batch for each of the shards, which have this executor and go through their passes
  // together: threads meet as often as for one. REQUIRES: vertices are less than `vertices`.
  struct Split {
    EdgeShard* shard;
    Ends ends;
  };
  static void split(Executor& executor, std::span<const Split> splits, const Batch& batch,
                    VertexId vertices);

  // A thread has each `range_step`-th of the ranges [first, last): those of one sub-graph.
  [[nodiscard]] unsigned first_range(unsigned thread) const { return first_ranges_[thread]; }
  [[nodiscard]] unsigned last_range(unsigned thread) const {
    const unsigned next = thread + range_step();
    return next < executor_.size() ? first_ranges_[next] : ranges_;
  }
  [[nodiscard]] unsigned range_step() const { return places_.sub_graphs(); }
  [[nodiscard]] unsigned ranges() const { return ranges_; }
  // In the order of the log.
  [[nodiscard]] std::span<Sharded> list(unsigned range) {
    return {edges_ + begins_[range], begins_[range + 1] - begins_[range]};
  }
  // The list of a range in the order of vertices, and for a vertex of the log. Its list is
  // overwritten. By one thread at a time for each `thread`.
  std::span<const Sharded> sorted(unsigned thread, unsigned range);

 private:
  static constexpr std::size_t kLineEntries = 64 / sizeof(Sharded);
  struct alignas(64) Line {
    Sharded entries[kLineEntries];
  };

  void choose_ranges(std::uint64_t entries, VertexId vertices);
  void take_memory(std::uint64_t entries);
  template <Ends kEnds>
  void count(unsigned thread, const Batch& batch);
  void place_lists(unsigned threads);
  void share_ranges(unsigned sub_graph);
  template <Ends kEnds>
  void store(unsigned thread, const Batch& batch);

  Executor& executor_;
  unsigned wanted_ranges_;
  unsigned ranges_ = 0;
  VertexPlaces places_;
  unsigned shift_ = 0;  // a range has 2^shift_ vertices: it is a group of places_
  // By thread, then by range: how many entries; then where its part of the list begins.
  std::vector<std::vector<std::uint64_t>> counts_;
  std::vector<std::uint64_t> begins_;  // of each list
  std::vector<unsigned> first_ranges_;
  numa::Memory memory_;  // of the lists
  Sharded* edges_ = nullptr;
  std::vector<std::vector<Sharded>> scratch_;  // for sorting, a thread each
  std::vector<std::vector<std::uint32_t>> counters_;
};

}  // namespace outcore::evolving
