// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/shard.h"

#include <numeric>

namespace outcore {

namespace {

// Behind the last list, in slots; of one that is encoded and ends in the block in which it begins
// somewhere in it.
std::uint64_t end_of_lists(const ListIndex& index) {
  if (index.listed() == 0) return 0;
  const ListAddress last = index.address(index.listed() - 1);
  return last.position + last.slots;
}

}  // namespace

Shards::Shards(const Layout& layout, Direction direction, Executor& executor)
    : index_(&layout.index(direction)),
      file_(layout.file(direction)),
      block_bytes_(layout.facts().block_bytes),
      slot_bytes_(layout.pieces().slot_bytes()),
      blocks_(layout.block_files()[file_].blocks()),
      end_(end_of_lists(*index_)) {
  const std::size_t groups = (std::size_t{index_->listed()} + kGroup - 1) / kGroup;
  edges_before_.resize(groups + 1);
  executor.parallel_for(0, groups, 1, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t group = first; group < last; ++group) {
      const auto begin = static_cast<VertexId>(group * kGroup);
      EdgeIndex sum = 0;
      for (VertexId v = begin; v < std::min(index_->listed(), begin + kGroup); ++v) {
        sum += index_->degree(v);
      }
      edges_before_[group + 1] = sum;
    }
  });
  std::partial_sum(edges_before_.begin(), edges_before_.end(), edges_before_.begin());
}

Shard Shards::shard(VertexRange range) const {
  const std::uint64_t begin = position(range.begin);
  const std::uint64_t end = position(range.end);
  if (begin == end) return {};
  return {begin / block_bytes_, (end - 1) / block_bytes_ + 1};
}

EdgeIndex Shards::edges_before(VertexId v) const {
  v = std::min(v, index_->listed());
  EdgeIndex edges = edges_before_[v / kGroup];
  for (VertexId u = v / kGroup * kGroup; u < v; ++u) edges += index_->degree(u);
  return edges;
}

EdgeIndex Shards::edges(VertexRange range) const {
  return edges_before(range.end) - edges_before(range.begin);
}

VertexId Shards::at(std::uint64_t position, VertexId begin, VertexId end) const {
  return first_where_not(begin, end, [&](VertexId v) { return this->position(v) < position; });
}

}  // namespace outcore
