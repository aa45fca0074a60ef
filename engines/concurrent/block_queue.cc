// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/block_queue.h"

#include "engines/vertex_program.h"
#include "engines/vertex_ranges.h"

namespace outcore {

void BlockQueue::build(Executor& executor, const Frontier& readers, const ListIndex& index,
                       BlockId total_blocks) {
  const bool everybody = readers.size() == readers.id_space();
  if (everybody && everybodys_ == &index) return;
  everybodys_ = everybody ? &index : nullptr;
  blocks_.clear();
  starts_.clear();
  vertices_.clear();
  straddlers_.clear();
  blockless_.clear();
  edges_ = 0;
  // Counting costs a pass over all blocks of the file, sorting a logarithm for each vertex.
  if (readers.size() * 8 < total_blocks) {
    build_by_sorting(readers, index);
  } else {
    build_by_counting(executor, readers, index, total_blocks);
  }
  starts_.push_back(vertices_.size());
  std::sort(straddlers_.begin(), straddlers_.end());
}

std::optional<ListAddress> BlockQueue::note_list(VertexId v, const ListIndex& index, Aside& aside) {
  const std::uint64_t degree = index.degree(v);
  aside.edges += degree;
  if (index.is_inline(degree)) {
    aside.blockless.push_back(v);
    return std::nullopt;
  }
  const ListAddress list = index.address(v);
  if (index.first_block(list) != index.last_block(list)) aside.straddlers.push_back(v);
  return list;
}

void BlockQueue::add(const Aside& aside) {
  straddlers_.insert(straddlers_.end(), aside.straddlers.begin(), aside.straddlers.end());
  blockless_.insert(blockless_.end(), aside.blockless.begin(), aside.blockless.end());
  edges_ += aside.edges;
}

void BlockQueue::build_by_sorting(const Frontier& readers, const ListIndex& index) {
  std::vector<std::pair<BlockId, VertexId>> wants;
  Aside aside;
  readers.for_each([&](VertexId v) {
    const std::optional<ListAddress> list = note_list(v, index, aside);
    if (!list) return;
    for (BlockId block = index.first_block(*list); block <= index.last_block(*list); ++block) {
      wants.emplace_back(block, v);
    }
  });
  add(aside);
  std::sort(wants.begin(), wants.end());
  for (const auto& [block, v] : wants) {
    if (blocks_.empty() || blocks_.back() != block) {
      blocks_.push_back(block);
      starts_.push_back(vertices_.size());
    }
    vertices_.push_back(v);
  }
}

void BlockQueue::build_by_counting(Executor& executor, const Frontier& readers,
                                   const ListIndex& index, BlockId total_blocks) {
  const auto each_reader = [&](auto&& f) {
    executor.parallel_for(0, readers.id_space(), kVertexRange,
                          [&](unsigned worker, std::size_t first, std::size_t last) {
                            readers.bits().for_each(first, last, [&](std::size_t v) {
                              f(worker, static_cast<VertexId>(v));
                            });
                          });
  };
  std::vector<std::uint32_t> next(total_blocks, 0);  // first how many, then where the next one goes
  std::vector<Aside> asides(executor.size());
  each_reader([&](unsigned worker, VertexId v) {
    const std::optional<ListAddress> list = note_list(v, index, asides[worker]);
    if (!list) return;
    for (BlockId block = index.first_block(*list); block <= index.last_block(*list); ++block) {
      increase<Access::shared>(next[block], 1U);
    }
  });
  for (const Aside& aside : asides) add(aside);
  std::uint64_t sum = 0;
  for (BlockId block = 0; block < total_blocks; ++block) {
    if (next[block] == 0) continue;
    blocks_.push_back(block);
    starts_.push_back(sum);
    sum += std::exchange(next[block], static_cast<std::uint32_t>(sum));
  }
  vertices_.resize(sum);
  each_reader([&](unsigned, VertexId v) {
    if (index.is_inline(index.degree(v))) return;
    const ListAddress list = index.address(v);
    for (BlockId block = index.first_block(list); block <= index.last_block(list); ++block) {
      vertices_[increase<Access::shared>(next[block], 1U)] = v;
    }
  });
}

std::uint64_t BlockQueue::memory_bytes() const {
  return blocks_.capacity() * sizeof(BlockId) + starts_.capacity() * sizeof(std::uint64_t) +
         (vertices_.capacity() + straddlers_.capacity() + blockless_.capacity()) * sizeof(VertexId);
}

}  // namespace outcore
