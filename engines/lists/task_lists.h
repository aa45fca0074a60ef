// SPDX-License-Identifier: Apache-2.0
// The lists that the tasks of Engine::drive want, for one worker. A list consists of parts, one
// after another: of a layout it is one part, in blocks or in the index; of a store it may lie in
// several files, and in memory.
//
// Threads: belongs to one worker.
#pragma once

#include <functional>

#include "engines/lists/hand_over.h"
#include "engines/lists/list_read.h"

namespace outcore {

// A list that is being read for a task.
struct TaskRead {
  VertexId v = kNoVertex;
  ListRange wanted;
  ListRead blocks;           // of the part in hand
  std::uint32_t file = 0;    // that has them
  std::uint32_t part = 0;    // parts that were begun
  std::uint32_t passed = 0;  // edges of pieces that came, for lists in several parts
};

class TaskLists {
 public:
  using Step = std::function<void(const Piece&)>;

  virtual ~TaskLists() = default;
  [[nodiscard]] virtual std::uint32_t degree(VertexId v) const = 0;
  // Goes on to the next part of the list that lies in blocks: false if there is none. What comes
  // before that in memory is given to `step`.
  virtual bool next_part(TaskRead& read, const Step& step) = 0;
  // The piece in a block of the part.
  virtual Piece piece(TaskRead& read, BlockId block, const std::byte* data) = 0;
  [[nodiscard]] virtual std::uint32_t block_bytes() const = 0;
  // Tells the trace, if there is one, of what was asked for.
  virtual void note(const TaskRead& /*read*/) {}
};

// The lists of a layout.
class LayoutTaskLists final : public TaskLists {
 public:
  LayoutTaskLists(const DirectedLists& lists, HandOver& hands, unsigned worker)
      : lists_(lists), hands_(hands), worker_(worker) {}

  [[nodiscard]] std::uint32_t degree(VertexId v) const override {
    return source_of(lists_.index, v).degree;
  }
  bool next_part(TaskRead& read, const Step& step) override {
    if (read.part++ > 0) return false;
    const ListIndex& index = lists_.index;
    if (index.is_inline(degree(read.v))) {
      step(inline_piece(index, read.v, 0));
      return false;
    }
    read.file = lists_.file;
    read.blocks = ListRead::whole(index, read.v);
    if (lists_.layout.pieces().encoded())
      return true;  // which block an edge is in shows by reading
    const auto block_of = [&](std::uint64_t edge) {
      return (read.blocks.list.position + edge) / index.slots_per_block();
    };
    read.blocks.next = block_of(read.wanted.begin);
    read.blocks.end = block_of(read.wanted.end - 1) + 1;
    return true;
  }
  Piece piece(TaskRead& read, BlockId block, const std::byte* data) override {
    return hands_.read(lists_, read.v, read.blocks.list, block, data);
  }
  [[nodiscard]] std::uint32_t block_bytes() const override { return lists_.block_bytes(); }
  void note(const TaskRead& read) override { lists_.note(worker_, read.blocks.flight); }

 private:
  const DirectedLists lists_;
  HandOver& hands_;
  unsigned worker_;
};

}  // namespace outcore
