// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/snapshot.h"

#include <algorithm>

#include "common/executor.h"

namespace outcore::evolving {

Snapshot::Snapshot(SnapshotParts parts) : parts_(std::move(parts)), number_(parts_.live->add()) {}

Snapshot::~Snapshot() { parts_.live->remove(number_); }

void Snapshot::prepare(unsigned threads) {
  if (prepared_) return;
  for (unsigned side = 0; side < (symmetric() ? 1U : 2U); ++side) {
    index_logged(side);
    if (parts_.removals > 0) resolve(side, threads);
  }
  edges_ = 0;
  for (VertexId v = 0; v < vertices(); ++v) edges_ += degree(Direction::out, v);
  prepared_ = true;
}

void Snapshot::index_logged(unsigned side) {
  Side& index = sides_[side];
  index.has_logged.assign((std::size_t{vertices()} + 63) / 64, 0);
  for (const LogEdge& edge : parts_.logged) {
    const Entry removal = edge.target & kRemoval;
    const Sharded forth{edge.source, edge.target};
    const Sharded back{neighbour(edge.target), edge.source | removal};
    if (side == 0) index.logged.push_back(forth);
    if (side == 1 || (symmetric() && back.vertex != forth.vertex)) index.logged.push_back(back);
  }
  std::stable_sort(index.logged.begin(), index.logged.end(),
                   [](const Sharded& a, const Sharded& b) { return a.vertex < b.vertex; });
  for (const Sharded& entry : index.logged)
    index.has_logged[entry.vertex / 64] |= std::uint64_t{1} << (entry.vertex % 64);
}

// Finds the degrees of the lists in which something was removed.
void Snapshot::resolve(unsigned side, unsigned threads) {
  Side& index = sides_[side];
  index.has_removals.assign((std::size_t{vertices()} + 63) / 64, 0);
  for (VertexId v = 0; v < vertices(); ++v) {
    const std::span<const Sharded> logged_here = logged(side, v);
    const bool removed = record(side, v).has_removals ||
                         std::any_of(logged_here.begin(), logged_here.end(),
                                     [](const Sharded& entry) { return removes(entry.entry); });
    if (!removed) continue;
    index.has_removals[v / 64] |= std::uint64_t{1} << (v % 64);
    index.degrees.emplace_back(v, 0);
  }
  Executor executor(threads);
  std::vector<std::uint64_t> missed(threads, 0);
  std::vector<ListReader> readers(threads, ListReader(*this));
  executor.parallel_for(0, index.degrees.size(), 256,
                        [&](unsigned worker, std::size_t first, std::size_t last) {
                          ListReader& reader = readers[worker];
                          for (std::size_t i = first; i < last; ++i) {
                            auto& [v, degree] = index.degrees[i];
                            reader.standing_.clear();
                            missed[worker] += reader.read_standing(side, v);
                            degree = reader.standing_.size();
                          }
                        });
  if (side != 0) return;
  removals_missed_ = parts_.removals_missed;
  for (const std::uint64_t count : missed) removals_missed_ += count;
}

std::span<const Sharded> Snapshot::logged(unsigned side, VertexId v) const {
  const Side& index = sides_[side];
  if ((index.has_logged[v / 64] >> (v % 64) & 1) == 0) return {};
  const auto [first, last] =
      std::equal_range(index.logged.begin(), index.logged.end(), Sharded{v, 0},
                       [](const Sharded& a, const Sharded& b) { return a.vertex < b.vertex; });
  return {first, last};
}

// With removals.
std::uint64_t Snapshot::entries(unsigned side, VertexId v) const {
  const VertexRecord& at = record(side, v);
  return logged(side, v).size() + at.used + at.flushed;
}

std::uint64_t Snapshot::degree(Direction direction, VertexId v) const {
  const unsigned side = side_of(direction);
  const Side& index = sides_[side];
  if (index.has_removals.empty() || (index.has_removals[v / 64] >> (v % 64) & 1) == 0)
    return entries(side, v);
  return std::lower_bound(index.degrees.begin(), index.degrees.end(), v,
                          [](const auto& a, VertexId b) { return a.first < b; })
      ->second;
}

std::uint64_t ListReader::read_standing(unsigned side, VertexId v) {
  const auto keep = [this](VertexId u) { standing_.push_back(u); };
  const VertexRecord& record = snapshot_.record(side, v);
  const std::span<const Sharded> logged = snapshot_.logged(side, v);
  filter_.begin();
  for (auto at = logged.rbegin(); at != logged.rend(); ++at) filter_.take(at->entry, keep);
  filter_.take({snapshot_.parts_.pool->entries(record.buffer), record.used}, keep);
  snapshot_.parts_.chain->for_each_block(
      record.chain, [&](std::span<const Entry> entries) { filter_.take(entries, keep); });
  return filter_.missed(snapshot_.symmetric() ? v : 0);
}

}  // namespace outcore::evolving
