// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/assignment.h"

#include <fmt/format.h>

#include <limits>

#include "common/error.h"

namespace outcore {

namespace {

// The disk block that holds all of the list; kNone for lists that stand in the index, kSeveral for
// long ones.
constexpr BlockId kNone = std::numeric_limits<BlockId>::max();
constexpr BlockId kSeveral = kNone - 1;

BlockId block_of(const ListIndex& index, VertexId v) {
  if (index.is_inline(index.degree(v))) return kNone;
  const ListAddress list = index.address(v);
  const BlockId block = index.first_block(list);
  return index.last_block(list) == block ? block : kSeveral;
}

}  // namespace

Assignment::Assignment(const Layout& layout, Direction direction)
    : index_(layout.index(direction)) {
  const VertexId ids = layout.facts().id_space;
  const std::uint64_t disk_blocks = layout.block_files()[layout.file(direction)].blocks();
  std::vector<std::uint32_t> counts(disk_blocks);
  const bool ranked = index_.form() == IndexForm::mini_data;
  if (ranked) starts_.assign(disk_blocks, kNoVertex);
  for (VertexId v = 0; v < ids; ++v) {
    const BlockId block = block_of(index_, v);
    if (block == kNone) continue;
    if (block == kSeveral) {
      long_.push_back(v);
    } else if (!ranked) {
      most_members_ = std::max<std::size_t>(most_members_, ++counts[block]);
    } else {
      starts_[block] = std::min(starts_[block], v);
      most_members_ = std::max<std::size_t>(most_members_, v - starts_[block] + 1);
    }
  }
  if (disk_blocks + long_.size() >= kNoBlock) {
    throw usage_error(
        fmt::format("{} has more blocks than the worklist can number", layout.folder().string()));
  }
  disk_blocks_ = static_cast<std::uint32_t>(disk_blocks);
  for (const VertexId v : long_) {
    positions_.push_back(static_cast<std::uint32_t>(index_.first_block(index_.address(v))));
  }
  if (ranked) return;
  begins_.assign(disk_blocks + 1, 0);
  for (BlockId b = 0; b < disk_blocks; ++b) begins_[b + 1] = begins_[b] + counts[b];
  members_.resize(begins_.back());
  std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
  for (VertexId v = 0; v < ids; ++v) {
    const BlockId block = block_of(index_, v);
    if (block < kSeveral) members_[next[block]++] = v;
  }
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
  const std::span<const VertexId> all = members(b);
  return {b, static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), v) - all.begin())};
}

VertexId Assignment::vertex(std::uint32_t block, std::uint32_t member) const {
  if (is_long(block)) return long_[block - disk_blocks_];
  return starts_.empty() ? members(block)[member] : starts_[block] + member;
}

}  // namespace outcore
