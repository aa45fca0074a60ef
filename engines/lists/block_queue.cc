// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/block_queue.h"

#include <array>

#include "engines/lists/round.h"
#include "engines/vertex_program.h"

namespace outcore {

namespace {

// Tells `f(block, vertices)` of consecutive vertices that want the same block in one call: many do,
// because neighbouring ids often share a block, and each call costs an atomic step.
template <typename F>
class Runs {
 public:
  explicit Runs(const F& f) : f_(f) {}
  void add(BlockId block, VertexId v) {
    if (block != block_ || count_ == vertices_.size()) {
      flush();
      block_ = block;
    }
    vertices_[count_++] = v;
  }
  void flush() {
    if (count_ > 0) f_(block_, std::span<const VertexId>(vertices_).first(count_));
    count_ = 0;
  }

 private:
  const F& f_;
  BlockId block_ = 0;
  std::size_t count_ = 0;
  std::array<VertexId, 64> vertices_;
};

// Calls f(block, vertices) for all blocks that hold lists of readers below `end`. find(worker, v)
// says where v's list is, or nullopt if it is in no block.
template <typename Find, typename F>
void for_each_run(Executor& executor, const Frontier& readers, VertexId end, const ListIndex& index,
                  const Find& find, const F& f) {
  executor.parallel_for(0, end, kVertexRange,
                        [&](unsigned worker, std::size_t first, std::size_t last) {
                          Runs runs(f);
                          readers.bits().for_each(first, last, [&](std::size_t i) {
                            const auto v = static_cast<VertexId>(i);
                            const std::optional<ListAddress> list = find(worker, v);
                            if (!list) return;
                            for (BlockId block = index.first_block(*list);
                                 block <= index.last_block(*list); ++block) {
                              runs.add(block, v);
                            }
                          });
                          runs.flush();
                        });
}

}  // namespace

bool BlockQueue::build(Executor& executor, const Frontier& readers, const ListIndex& index,
                       BlockId total_blocks, Edgeless edgeless) {
  const bool everybody = readers.size() == readers.id_space();
  if (everybody && everybodys_ == &index && edgeless_ == edgeless) return false;
  everybodys_ = everybody ? &index : nullptr;
  edgeless_ = edgeless;
  blocks_.clear();
  starts_.clear();
  vertices_.clear();
  straddlers_.clear();
  blockless_.clear();
  // Counting takes a pass over all blocks of the file; sorting takes a logarithm per vertex.
  if (readers.size() * 8 < total_blocks) {
    build_by_sorting(readers, index);
  } else {
    build_by_counting(executor, readers, index, total_blocks);
  }
  starts_.push_back(vertices_.size());
  std::sort(straddlers_.begin(), straddlers_.end());
  return true;
}

std::optional<ListAddress> BlockQueue::note_list(VertexId v, const ListIndex& index,
                                                 Aside& aside) const {
  const std::uint64_t degree = index.degree(v);
  if (index.is_inline(degree)) {
    if (degree > 0 || edgeless_ == Edgeless::named) aside.blockless.push_back(v);
    return std::nullopt;
  }
  const ListAddress list = index.address(v);
  if (index.first_block(list) != index.last_block(list)) aside.straddlers.push_back(v);
  return list;
}

void BlockQueue::add(const Aside& aside) {
  straddlers_.insert(straddlers_.end(), aside.straddlers.begin(), aside.straddlers.end());
  blockless_.insert(blockless_.end(), aside.blockless.begin(), aside.blockless.end());
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
  // Ids that are not listed in the index have no edges.
  const VertexId end = edgeless_ == Edgeless::left_out ? index.listed() : readers.id_space();
  std::vector<std::uint32_t> next(total_blocks, 0);  // first how many, then where the next one goes
  std::vector<Aside> asides(executor.size());
  for_each_run(
      executor, readers, end, index,
      [&](unsigned worker, VertexId v) { return note_list(v, index, asides[worker]); },
      [&](BlockId block, std::span<const VertexId> vertices) {
        increase<Access::shared>(next[block], static_cast<std::uint32_t>(vertices.size()));
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
  for_each_run(
      executor, readers, end, index,
      [&](unsigned, VertexId v) -> std::optional<ListAddress> {
        if (index.is_inline(index.degree(v))) return std::nullopt;
        return index.address(v);
      },
      [&](BlockId block, std::span<const VertexId> vertices) {
        const std::uint32_t at =
            increase<Access::shared>(next[block], static_cast<std::uint32_t>(vertices.size()));
        std::copy(vertices.begin(), vertices.end(), vertices_.begin() + at);
      });
}

std::uint64_t BlockQueue::memory_bytes() const {
  return blocks_.capacity() * sizeof(BlockId) + starts_.capacity() * sizeof(std::uint64_t) +
         (vertices_.capacity() + straddlers_.capacity() + blockless_.capacity()) * sizeof(VertexId);
}

}  // namespace outcore
