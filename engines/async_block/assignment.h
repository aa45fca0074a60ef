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
// are neighbours, and nothing more is kept. Of other layouts a table of 4 bytes a vertex says who
// is assigned to each.
//
// Immutable, so thread-safe. Borrows the index.
#pragma once

#include <span>
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
  [[nodiscard]] bool is_long(std::uint32_t block) const { return block >= disk_blocks_; }
  // Disk block with which its data begins.
  [[nodiscard]] std::uint32_t position(std::uint32_t block) const {
    return is_long(block) ? positions_[block - disk_blocks_] : block;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return sizeof(VertexId) * (starts_.size() + members_.size() + 2 * long_.size()) +
           sizeof(std::uint64_t) * begins_.size();
  }

 private:
  // Which lists are long; and of each disk block the first vertex, where ids are ranks by position,
  // else how many it has (each in begins_, one further on).
  void look_through(VertexId ids, Executor& executor);
  void bound_members();
  void list_members(VertexId ids, Executor& executor);
  [[nodiscard]] std::span<const VertexId> members(std::uint32_t block) const {
    return std::span(members_).subspan(begins_[block], begins_[block + 1] - begins_[block]);
  }

  const ListIndex& index_;
  std::uint32_t disk_blocks_ = 0;
  std::size_t most_members_ = 0;
  std::vector<VertexId> long_;            // ascending
  std::vector<std::uint32_t> positions_;  // of their lists
  std::vector<VertexId> starts_;          // of disk blocks, where ids are ranks by position
  std::vector<std::uint64_t> begins_;     // else: of each disk block's members
  std::vector<VertexId> members_;         // ascending in each
};

}  // namespace outcore
