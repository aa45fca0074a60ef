// SPDX-License-Identifier: Apache-2.0
// The querying half of Table I: one vertex, as everything lies now.
#include <algorithm>

#include "storage/evolving/standing_edges.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

std::vector<Update> Store::logged_edges() const {
  const std::lock_guard lock(mutex_);
  std::vector<Update> edges;
  const auto [first, second] = log_.edges(log_.buffering(), log_.head());
  for (const std::span<const LogEdge> part : {first, second}) {
    for (const LogEdge& edge : part) edges.push_back(as_update(edge));
  }
  return edges;
}

std::vector<Entry> Store::logged_of(Direction direction, VertexId v) const {
  std::vector<Entry> entries;
  const auto [first, second] = log_.edges(log_.buffering(), log_.head());
  for (const std::span<const LogEdge> part : {first, second}) {
    for (const LogEdge& edge : part) {
      const VertexId target = neighbour(edge.target);
      const bool forth = options_.symmetric || direction == Direction::out;
      const bool back = options_.symmetric ? target != edge.source : direction == Direction::in;
      if (forth && edge.source == v) entries.push_back(edge.target);
      if (back && target == v) entries.push_back(edge.source | (edge.target & kRemoval));
    }
  }
  return entries;
}

std::vector<Entry> Store::buffered_of(Direction direction, VertexId v) const {
  if (v >= vertices_) return {};
  const VertexRecord& record = lists(direction).record(v);
  const Entry* const entries = pool_->entries(record.buffer);
  return {entries, entries + record.used};
}

std::vector<Entry> Store::flushed_of(Direction direction, VertexId v) const {
  if (v >= vertices_) return {};
  std::vector<Entry> newest_first;
  chain_->read(lists(direction).record(v).chain, [&](std::span<const Entry> entries) {
    newest_first.insert(newest_first.end(), entries.rbegin(), entries.rend());
  });
  std::reverse(newest_first.begin(), newest_first.end());
  return newest_first;
}

std::vector<Entry> Store::logged(Direction direction, VertexId v) const {
  const std::lock_guard lock(mutex_);
  return logged_of(direction, v);
}

std::vector<Entry> Store::buffered(Direction direction, VertexId v) const {
  const std::lock_guard lock(mutex_);
  return buffered_of(direction, v);
}

std::vector<Entry> Store::flushed(Direction direction, VertexId v) const {
  const std::lock_guard lock(mutex_);
  return flushed_of(direction, v);
}

std::vector<VertexId> Store::neighbours(Direction direction, VertexId v) const {
  const std::lock_guard lock(mutex_);
  std::vector<VertexId> found;
  StandingEdges standing;
  const auto keep = [&](VertexId u) { found.push_back(u); };
  standing.take(logged_of(direction, v), keep);
  standing.take(buffered_of(direction, v), keep);
  standing.take(flushed_of(direction, v), keep);
  return found;
}

}  // namespace outcore::evolving
