// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "common/error.h"
#include "engines/lists/round.h"
#include "engines/vertex_program.h"

namespace outcore {

namespace {

// The disk block that holds all of the list; kNone for lists that stand in the index, kSeveral for
// long ones.
constexpr BlockId kNone = std::numeric_limits<BlockId>::max();
constexpr BlockId kSeveral = kNone - 1;

// Where ids are ranks by position, a list's address says its length, and looking that up before
// would double the work.
BlockId block_of(const ListIndex& index, VertexId v) {
  const bool ranked = index.form() == IndexForm::mini_data;
  if (ranked ? v >= index.first_mini_id() : index.is_inline(index.degree(v))) return kNone;
  const ListAddress list = index.address(v);
  if (list.degree == 0) return kNone;  // a virtual id
  const BlockId block = index.first_block(list);
  return index.last_block(list) == block ? block : kSeveral;
}

// All of one direction, by all workers: f(worker, v, its block).
template <typename F>
void for_each_block_of(Executor& executor, const ListIndex& index, VertexId ids, F&& f) {
  executor.parallel_for(0, ids, kVertexRange,
                        [&](unsigned worker, std::size_t first, std::size_t last) {
                          for (std::size_t v = first; v < last; ++v) {
                            const auto id = static_cast<VertexId>(v);
                            f(worker, id, block_of(index, id));
                          }
                        });
}

}  // namespace

Assignment::Assignment(const Layout& layout, Direction direction, Executor& executor)
    : index_(layout.index(direction)) {
  const std::uint64_t disk_blocks = layout.block_files()[layout.file(direction)].blocks();
  const bool ranked = index_.form() == IndexForm::mini_data;
  const VertexId ids =
      ranked ? index_.first_mini_id() : index_.listed();  // later ones need no block
  if (ranked) {
    starts_.assign(disk_blocks, kNoVertex);
  } else {
    begins_.assign(disk_blocks + 1, 0);
  }
  look_through(ids, executor);
  if (disk_blocks + long_.size() >= kNoBlock) {
    throw usage_error(
        fmt::format("{} has more blocks than the worklist can number", layout.folder().string()));
  }
  disk_blocks_ = static_cast<std::uint32_t>(disk_blocks);
  if (ranked) {
    bound_members();
  } else {
    list_members(ids, executor);
  }
}

void Assignment::look_through(VertexId ids, Executor& executor) {
  struct alignas(64) Found {
    std::vector<VertexId> vertices;
  };
  std::vector<Found> found(executor.size());
  for_each_block_of(executor, index_, ids, [&](unsigned worker, VertexId v, BlockId block) {
    if (block == kNone) return;
    if (block == kSeveral) {
      found[worker].vertices.push_back(v);
    } else if (begins_.empty()) {
      lower<Access::shared>(starts_[block], v);
    } else {
      increase<Access::shared>(begins_[block + 1], std::uint64_t{1});
    }
  });
  for (const Found& some : found) {
    long_.insert(long_.end(), some.vertices.begin(), some.vertices.end());
  }
  std::sort(long_.begin(), long_.end());
  positions_.reserve(long_.size());
  for (const VertexId v : long_) {
    positions_.push_back(static_cast<std::uint32_t>(index_.first_block(index_.address(v))));
  }
}

// Between the first vertices of two blocks there are only the members of the first block, possibly
// a virtual id, and long lists. So members need not be counted vertex by vertex.
void Assignment::bound_members() {
  VertexId end = index_.first_mini_id();
  auto last_long = long_.rbegin();
  for (auto start = starts_.rbegin(); start != starts_.rend(); ++start) {
    if (*start == kNoVertex) continue;
    std::size_t members = end - *start;
    for (; last_long != long_.rend() && *last_long > *start; ++last_long) --members;
    most_members_ = std::max(most_members_, members);
    end = *start;
  }
}

template <typename F>
void Assignment::for_each_disk_block(Executor& executor, F&& f) const {
  executor.parallel_for(0, disk_blocks_, kVertexRange,
                        [&](unsigned, std::size_t first, std::size_t last) {
                          for (std::size_t b = first; b < last; ++b) f(b);
                        });
}

void Assignment::list_members(VertexId ids, Executor& executor) {
  for (std::uint32_t b = 0; b < disk_blocks_; ++b) {
    most_members_ = std::max<std::size_t>(most_members_, begins_[b + 1]);
    begins_[b + 1] += begins_[b];
  }
  members_.resize(begins_.back());
  std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
  for_each_block_of(executor, index_, ids, [&](unsigned, VertexId v, BlockId block) {
    if (block < kSeveral) members_[increase<Access::shared>(next[block], std::uint64_t{1})] = v;
  });
  if (sort_members(executor)) list_them_by_distance(executor);
}

// Are all of them near to the first of their block?
bool Assignment::sort_members(Executor& executor) {
  constexpr VertexId kFar = std::numeric_limits<std::uint16_t>::max();
  std::atomic<bool> near{true};
  for_each_disk_block(executor, [&](std::size_t b) {
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(begins_[b]);
    const auto last = members_.begin() + static_cast<std::ptrdiff_t>(begins_[b + 1]);
    std::sort(first, last);
    // Relaxed: read when all are through.
    if (first != last && *(last - 1) - *first > kFar) near.store(false, std::memory_order_relaxed);
  });
  return near;
}

void Assignment::list_them_by_distance(Executor& executor) {
  near_.resize(members_.size());
  firsts_.resize(disk_blocks_);
  for_each_disk_block(executor, [&](std::size_t b) {
    if (begins_[b] == begins_[b + 1]) return;
    firsts_[b] = members_[begins_[b]];
    for (std::uint64_t i = begins_[b]; i < begins_[b + 1]; ++i) {
      near_[i] = static_cast<std::uint16_t>(members_[i] - firsts_[b]);
    }
  });
  members_ = std::vector<VertexId>();  // to assign {} would keep the memory
}

std::size_t Assignment::members_in(std::uint32_t block) const {
  if (is_long(block)) return 1;
  if (starts_.empty()) return begins_[block + 1] - begins_[block];
  if (starts_[block] == kNoVertex) return 0;
  const auto after = std::find_if(starts_.begin() + block + 1, starts_.end(),
                                  [](VertexId start) { return start != kNoVertex; });
  return (after == starts_.end() ? index_.first_mini_id() : *after) - starts_[block];
}

Assignment::Place Assignment::place(VertexId v) const {
  const BlockId block = block_of(index_, v);
  if (block == kNone) return {};
  if (block == kSeveral) {
    const auto at = std::lower_bound(long_.begin(), long_.end(), v) - long_.begin();
    return {disk_blocks_ + static_cast<std::uint32_t>(at), 0};
  }
  const auto b = static_cast<std::uint32_t>(block);
  if (!starts_.empty()) return {b, v - starts_[b]};
  const auto member_of = [&](const auto& all, auto id) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(begins_[b]);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(begins_[b + 1]);
    return static_cast<std::uint32_t>(std::lower_bound(begin, end, id) - begin);
  };
  if (near_.empty()) return {b, member_of(members_, v)};
  return {b, member_of(near_, static_cast<std::uint16_t>(v - firsts_[b]))};
}

std::uint32_t Assignment::edges_a_block(VertexId v) const {
  const ListAddress list = index_.address(v);
  const BlockId blocks = index_.last_block(list) - index_.first_block(list) + 1;
  return static_cast<std::uint32_t>(list.degree / blocks);
}

VertexId Assignment::vertex(std::uint32_t block, std::uint32_t member) const {
  if (is_long(block)) return long_[block - disk_blocks_];
  if (!starts_.empty()) return starts_[block] + member;
  const std::uint64_t at = begins_[block] + member;
  return near_.empty() ? members_[at] : firsts_[block] + near_[at];
}

}  // namespace outcore
