// SPDX-License-Identifier: Apache-2.0
// Which block a vertex is assigned to (ACGraph, section 4.1): a disjoint partition of the vertices,
// in two ranges of blocks:
//
//   disk blocks    the vertices whose lists lie within the one disk block of that number
//   long lists     one vertex each, whose list lies in several disk blocks and goes through the
//                  frames in pieces
//
// Vertices whose lists stand in the index or are empty are in no block: they need no frame.
//
// Where ids are ranks by position (ACGraph's own index, section 5.2) the vertices of a disk block
// are neighbours, and nothing more is kept. Of other layouts a table says who is assigned to each:
// 2 bytes a vertex where those of a block lie near each other (with number degree they do), else 4.
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
  [[nodiscard]] VertexId vertex(std::uint32_t block, std::uint32_t member) const;

  // What is brought in for v: edges of its list for each disk block that this lies in.
  [[nodiscard]] std::uint32_t edges_a_block(VertexId v) const;

  [[nodiscard]] std::size_t blocks() const { return disk_blocks_ + long_.size(); }
  // A bound: no block has more.
  [[nodiscard]] std::size_t most_members() const { return most_members_; }
  // Another one, of this block.
  [[nodiscard]] std::size_t members_in(std::uint32_t block) const;
  [[nodiscard]] bool is_long(std::uint32_t block) const { return block >= disk_blocks_; }
  // Disk block with which its data begins.
  [[nodiscard]] std::uint32_t position(std::uint32_t block) const {
    return is_long(block) ? positions_[block - disk_blocks_] : block;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return sizeof(VertexId) *
               (starts_.size() + members_.size() + firsts_.size() + 2 * long_.size()) +
           sizeof(std::uint16_t) * near_.size() + sizeof(std::uint64_t) * begins_.size();
  }

 private:
  // Which lists are long; and of each disk block the first vertex, where ids are ranks by position,
  // else how many it has (each in begins_, one further on).
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
