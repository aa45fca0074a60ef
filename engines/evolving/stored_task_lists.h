// SPDX-License-Identifier: Apache-2.0
// The lists of a store on the disk as tasks want them: a part for each run that adds to the list,
// the oldest first, and then what the log adds.
#pragma once

#include <algorithm>
#include <vector>

#include "engines/lists/task_lists.h"
#include "storage/evolving/stored_lists.h"

namespace outcore {

class StoredTaskLists final : public TaskLists {
 public:
  StoredTaskLists(const evolving::StoredLists& stored, Direction direction, HandOver& hands)
      : side_(stored.side(direction)),
        degrees_(stored.lists().index(direction)),
        block_bytes_(stored.lists().facts().block_bytes),
        hands_(hands),
        room_(evolving::most_ids(block_bytes_)) {}

  [[nodiscard]] std::uint32_t degree(VertexId v) const override {
    return static_cast<std::uint32_t>(degrees_.degree(v));
  }
  bool next_part(TaskRead& read, const Step& step) override {
    while (read.part < side_.runs.size()) {
      const evolving::StoredRun& run = side_.runs[read.part++];
      if (run.index.degree(read.v) == 0) continue;
      read.file = run.file;
      read.blocks = ListRead::whole(run.index, read.v);
      return true;
    }
    const std::span<const VertexId> logged = side_.logged.find(read.v);
    if (read.part++ == side_.runs.size() && !logged.empty()) step(next_piece(read, logged));
    return false;
  }
  Piece piece(TaskRead& read, BlockId block, const std::byte* data) override {
    const evolving::StoredRun& run = side_.runs[read.part - 1];
    const BlockPart part = run.index.part(read.blocks.list, block);
    const evolving::StandingIds standing =
        run.standing(read.v, read.blocks.list, part, data, room_.data());
    hands_.touched(standing.bytes);
    return next_piece(read, standing.ids);
  }
  [[nodiscard]] std::uint32_t block_bytes() const override { return block_bytes_; }

 private:
  [[nodiscard]] Piece next_piece(TaskRead& read, std::span<const VertexId> ids) const {
    const auto count = static_cast<std::uint32_t>(ids.size());
    const std::uint32_t first = read.passed;
    read.passed += count;
    return {
        .v = read.v, .first = first, .count = count, .degree = degree(read.v), .ids = ids.data()};
  }

  const evolving::StoredLists::Side& side_;
  const ListIndex& degrees_;
  std::uint32_t block_bytes_;
  HandOver& hands_;
  std::vector<VertexId> room_;  // for a block's ids that stand
};

}  // namespace outcore
