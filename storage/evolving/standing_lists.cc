// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/standing_lists.h"

#include "common/executor.h"

namespace outcore::evolving {

StandingLists::StandingLists(const Snapshot& snapshot, Direction direction, VertexId vertices,
                             unsigned threads)
    : placement_(SnapshotView(snapshot, direction).placement()), linked_(vertices) {
  const SnapshotView view(snapshot, direction);
  side_ = view.side();
  pool_ = &view.pool();
  chain_ = &view.chain();
  places_ = view.places();
  for (std::size_t i = 0; i < places_.partitions(snapshot.vertices()); ++i)
    records_.push_back(view.records(i));
  degrees_.resize(vertices);
  Executor executor(threads);
  executor.parallel_for(
      0, vertices, kPartitionVertices, [&](unsigned, std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
          const auto id = static_cast<VertexId>(v);
          const bool occurs = id < snapshot.vertices();
          degrees_[v] = occurs ? static_cast<std::uint32_t>(snapshot.degree(direction, id)) : 0;
        }
        linked_.set_where(first, last, [&](std::size_t v) { return degrees_[v] > 0; });
      });
  copy_lists(view, snapshot, direction);
}

void StandingLists::copy_lists(const SnapshotView& view, const Snapshot& snapshot,
                               Direction direction) {
  ListReader reader(snapshot);
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    const bool is_whole = view.has_removals(v);
    const std::span<const Sharded> logged = view.logged(v);
    if (!is_whole && logged.empty()) continue;
    if (copies_.empty()) {
      copies_.emplace_back();
      copy_of_.resize(degrees_.size());
    }
    const std::size_t first = copied_.size();
    if (is_whole) {
      ++resolved_;
      reader.for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
        copied_.insert(copied_.end(), piece.begin(), piece.end());
      });
    } else {
      for (const Sharded& entry : logged) copied_.push_back(entry.entry);
    }
    copy_of_[v] = static_cast<std::uint32_t>(copies_.size());
    copies_.push_back({first, static_cast<std::uint32_t>(copied_.size() - first), is_whole});
  }
}

std::uint64_t StandingLists::memory_bytes() const {
  return degrees_.size() * sizeof(std::uint32_t) + linked_.words().size_bytes() +
         copy_of_.size() * sizeof(std::uint32_t) + copies_.size() * sizeof(Copy) +
         copied_.size() * sizeof(VertexId);
}

}  // namespace outcore::evolving
