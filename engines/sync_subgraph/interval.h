// SPDX-License-Identifier: Apache-2.0
// Intervals of vertices (LOSC, section 3.1), cut when the engine is built: the fewest for which the
// shards of each, loaded and constructed, fit the memory that they are given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/sync_subgraph/shard.h"
#include "storage/layout/edges/intervals.h"

namespace outcore {

// What the shards of one interval may take: whole blocks while they are loaded, edges once they are
// constructed.
struct IntervalRoom {
  std::uint64_t loaded_bytes = 0;
  EdgeIndex constructed_edges = 0;
};

// Each row's shards of an interval must fit together; the rows need not.
using ShardRows = std::vector<std::vector<const Shards*>>;

// Is there room for the interval's shards?
bool fits(const ShardRows& rows, VertexRange interval, const IntervalRoom& room);

// The fewest intervals of `ids` vertices. One whose list alone does not fit is one by itself: the
// engine streams it.
Intervals cut_intervals(const ShardRows& rows, VertexId ids, const IntervalRoom& room);
// `p` intervals whose lists take about the same bytes. Throws a usage Error that names the least p
// that goes where one does not fit, and where there are fewer vertices than intervals.
Intervals cut_intervals(const ShardRows& rows, VertexId ids, const IntervalRoom& room,
                        std::uint64_t p);

}  // namespace outcore
