// SPDX-License-Identifier: Apache-2.0
// Which block a vertex is assigned to (ACGraph, section 4.1): a disjoint partition of the vertices,
// in two ranges of blocks:
//
//   disk blocks    the vertices whose lists lie within the one disk block of that number
//   long lists     one vertex each, whose list lies in several disk blocks and goes through the
//                  frames in pieces
//
// Vertices whose lists are in the index or empty are in no block: they need no frame.
//
// If ids are ranks by position (ACGraph's own index, section 5.2), the vertices of a disk block are
// neighbours and no table is needed. For other layouts a table lists the members of each block: 2
// bytes per vertex if the members of a block are near each other (as with number degree), else 4.
//
// Immutable, so thread-safe. Borrows the index.
#pragma once

#include <vector>

#include "common/executor.h"
#include "engines/async_block/block.h"
#include "storage/layout/layout.h"

namespace outcore {

class Assignment {
 public:
  static constexpr std::uint32_t kNoBlock = 0xffffffff;

  // The executor's workers go through the ids; it keeps no reference to it.
  Assignment(const Layout& layout, Direction direction, Executor& executor);

  struct Place {
    std::uint32_t block = kNoBlock;
    std::uint32_t member = 0;
  };
  [[nodiscard]] Place place(VertexId v) const;
  // The same for the vertex after one that is at `before`: without a look at its list, if that
  // tells.
  [[nodiscard]] Place place_after(const Place& before, VertexId v) const {
    if (long_.empty() && std::size_t{before.block} + 1 < starts_.size()) {
      const VertexId next = starts_[before.block + 1];
      if (v < next && next != kNoVertex) return {before.block, before.member + 1};
    }
    return place(v);
  }
  [[nodiscard]] VertexId vertex(std::uint32_t block, std::uint32_t member) const;

  // The edges of v's list per disk block that the list is in: what is brought in for v.
  [[nodiscard]] std::uint32_t edges_a_block(VertexId v) const;

  [[nodiscard]] std::size_t blocks() const { return disk_blocks_ + long_.size(); }
  // A bound: no block has more members.
  [[nodiscard]] std::size_t most_members() const { return most_members_; }
  // Another bound, for this block.
  [[nodiscard]] std::size_t members_in(std::uint32_t block) const;
  // Is it a disk block that has some?
  [[nodiscard]] bool has_members(BlockId block) const {
    if (block >= disk_blocks_) return false;
    return starts_.empty() ? begins_[block + 1] > begins_[block] : starts_[block] != kNoVertex;
  }
  [[nodiscard]] bool is_long(std::uint32_t block) const { return block >= disk_blocks_; }
  // The disk block where its data begins.
  [[nodiscard]] std::uint32_t position(std::uint32_t block) const {
    return is_long(block) ? positions_[block - disk_blocks_] : block;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return sizeof(VertexId) *
               (starts_.size() + members_.size() + firsts_.size() + 2 * long_.size()) +
           sizeof(std::uint16_t) * near_.size() + sizeof(std::uint64_t) * begins_.size();
  }

 private:
  // Finds the long lists; and for each disk block its first vertex if ids are ranks by position,
  // else its number of members (stored in begins_, one place further on).
  void look_through(VertexId ids, Executor& executor);
  void bound_members();
  void list_members(VertexId ids, Executor& executor);
  bool sort_members(Executor& executor);
  void list_them_by_distance(Executor& executor);
  template <typename F>
  void for_each_disk_block(Executor& executor, F&& f) const;

  const ListIndex& index_;
  std::uint32_t disk_blocks_ = 0;
  std::size_t most_members_ = 0;
  std::vector<VertexId> long_;            // ascending
  std::vector<std::uint32_t> positions_;  // of their lists
  std::vector<VertexId> starts_;          // of disk blocks, where ids are ranks by position
  std::vector<std::uint64_t> begins_;     // else: of each disk block's members
  std::vector<VertexId> members_;         // ascending in each
  std::vector<std::uint16_t> near_;       // or in their place: how far from the first of the block
  std::vector<VertexId> firsts_;          // of each block, where they go by distance
};

}  // namespace outcore
