// SPDX-License-Identifier: Apache-2.0
// What a store should hold, kept the slow way, and streams to feed it with.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "storage/evolving/log_edge.h"
#include "storage/evolving/snapshot.h"

namespace outcore::evolving {

// The multiset of edges after the first updates of a stream.
class EdgeMultiset {
 public:
  EdgeMultiset(std::span<const LogEdge> updates, bool symmetric) {
    for (const LogEdge& logged : updates) {
      const Update update = as_update(logged);
      apply(update.source, update.target, update.removes);
      if (symmetric && update.source != update.target)
        apply(update.target, update.source, update.removes);
      if (missed_now_) ++missed_;
    }
  }

  [[nodiscard]] std::vector<VertexId> neighbours(Direction direction, VertexId v) const {
    std::vector<VertexId> found;
    for (const auto& [edge, count] : counts_) {
      const auto [from, to] = edge;
      const VertexId near = direction == Direction::out ? from : to;
      if (near == v) found.insert(found.end(), count, direction == Direction::out ? to : from);
    }
    return found;
  }
  [[nodiscard]] std::uint64_t edges() const {
    std::uint64_t sum = 0;
    for (const auto& [edge, count] : counts_) sum += count;
    return sum;
  }
  [[nodiscard]] std::uint64_t missed() const { return missed_; }
  [[nodiscard]] const std::map<std::pair<VertexId, VertexId>, std::uint64_t>& counts() const {
    return counts_;
  }

 private:
  void apply(VertexId from, VertexId to, bool removal) {
    std::uint64_t& count = counts_[{from, to}];
    missed_now_ = removal && count == 0;
    if (removal && count > 0) --count;
    if (!removal) ++count;
  }
  std::map<std::pair<VertexId, VertexId>, std::uint64_t> counts_;
  std::uint64_t missed_ = 0;
  bool missed_now_ = false;
};

struct StreamShape {
  std::size_t updates = 20000;
  VertexId vertices = 30000;
  double removals = 0;  // share of the updates
  unsigned seed = 1;
};

// Half of the edges meet at a few hubs, many are there twice, some removals are of nothing.
inline std::vector<LogEdge> make_stream(const StreamShape& shape) {
  std::mt19937_64 random(shape.seed);
  std::vector<LogEdge> stream;
  const auto vertex = [&] {
    const VertexId most =
        random() % 2 == 0 ? std::min<VertexId>(shape.vertices, 5) : shape.vertices;
    return static_cast<VertexId>(random() % most);
  };
  for (std::size_t i = 0; i < shape.updates; ++i) {
    const bool removal = static_cast<double>(random() % 1000) < shape.removals * 1000;
    LogEdge edge{vertex(), vertex()};
    if (removal && !stream.empty() && random() % 8 != 0) {
      edge = stream[random() % stream.size()];
      edge.target = neighbour(edge.target);
    }
    stream.push_back({edge.source, edge.target | (removal ? kRemoval : 0)});
  }
  return stream;
}

// All lists of a prepared snapshot, each sorted.
inline std::vector<std::vector<VertexId>> lists_of(const Snapshot& snapshot, Direction direction) {
  ListReader reader(snapshot);
  std::vector<std::vector<VertexId>> lists(snapshot.vertices());
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    reader.for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
      lists[v].insert(lists[v].end(), piece.begin(), piece.end());
    });
    std::sort(lists[v].begin(), lists[v].end());
  }
  return lists;
}

inline std::vector<std::vector<VertexId>> lists_of(const EdgeMultiset& edges, VertexId vertices,
                                                   Direction direction) {
  std::vector<std::vector<VertexId>> lists(vertices);
  for (const auto& [edge, count] : edges.counts()) {
    const auto [from, to] = edge;
    auto& list = lists[direction == Direction::out ? from : to];
    list.insert(list.end(), count, direction == Direction::out ? to : from);
  }
  for (auto& list : lists) std::sort(list.begin(), list.end());
  return lists;
}

}  // namespace outcore::evolving
