// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/interval.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

// Does p evenly cut intervals fit, but for those of one vertex?
bool all_fit(const ShardRows& rows, const std::vector<VertexId>& bounds, const IntervalRoom& room) {
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (bounds[i + 1] - bounds[i] > 1 && !fits(rows, {bounds[i], bounds[i + 1]}, room)) {
      return false;
    }
  }
  return true;
}

// By the bytes of the first row's lists; each interval has a vertex, if no bytes then.
std::vector<VertexId> even_bounds(const ShardRows& rows, VertexId ids, std::uint64_t p) {
  const std::vector<const Shards*>& row = rows.front();
  const auto position = [&](VertexId v) {
    std::uint64_t sum = 0;
    for (const Shards* shards : row) sum += shards->position(v) - shards->position(0);
    return sum;
  };
  const std::uint64_t all = position(ids);
  std::vector<VertexId> bounds = {0};
  for (std::uint64_t i = 1; i < p; ++i) {
    const auto share = static_cast<std::uint64_t>(static_cast<double>(all) *
                                                  static_cast<double>(i) / static_cast<double>(p));
    const VertexId least = bounds.back() + 1;
    const auto most = static_cast<VertexId>(ids - (p - i));
    bounds.push_back(first_where_not(least, most, [&](VertexId v) { return position(v) < share; }));
  }
  bounds.push_back(ids);
  return bounds;
}

// The least number of even intervals that fit, where `p` do not.
std::uint64_t least_that_goes(const ShardRows& rows, VertexId ids, const IntervalRoom& room,
                              std::uint64_t p) {
  while (p < ids) {
    p = std::min<std::uint64_t>(p + std::max<std::uint64_t>(1, p / 64), ids);
    if (all_fit(rows, even_bounds(rows, ids, p), room)) break;
  }
  return p;
}

}  // namespace

bool fits(const ShardRows& rows, VertexRange interval, const IntervalRoom& room) {
  for (const std::vector<const Shards*>& row : rows) {
    std::uint64_t bytes = 0;
    EdgeIndex edges = 0;
    for (const Shards* shards : row) {
      bytes += shards->shard(interval).blocks() * shards->block_bytes();
      edges += shards->edges(interval);
    }
    if (bytes > room.loaded_bytes || edges > room.constructed_edges) return false;
  }
  return true;
}

Intervals cut_intervals(const ShardRows& rows, VertexId ids, const IntervalRoom& room) {
  std::vector<VertexId> bounds = {0};
  while (bounds.back() < ids) {
    const VertexId begin = bounds.back();
    bounds.push_back(first_where_not(begin + 1, ids, [&](VertexId v) {
      return fits(rows, {begin, v + 1}, room);
    }));
  }
  return Intervals(std::move(bounds));
}

Intervals cut_intervals(const ShardRows& rows, VertexId ids, const IntervalRoom& room,
                        std::uint64_t p) {
  if (p > ids) {
    throw usage_error(fmt::format("p={}: there are {} vertices, and an interval has one or more", p,
                                  with_commas(ids)));
  }
  std::vector<VertexId> bounds = even_bounds(rows, ids, p);
  if (!all_fit(rows, bounds, room)) {
    throw usage_error(fmt::format(
        "p={} is too few: an interval's shards must fit {} of --frames loaded, and constructed the "
        "same; p={} is the least that goes, or give more --frames",
        p, human_size(room.loaded_bytes), least_that_goes(rows, ids, room, p)));
  }
  return Intervals(std::move(bounds));
}

}  // namespace outcore
