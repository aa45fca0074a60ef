// SPDX-License-Identifier: Apache-2.0
// The lists of a turn, taken out of their blocks in order: handed to the program, or put into a
// subgraph.
//
// Throws bad_input with file, offset and vertex for a piece that is not what the index says.
#pragma once

#include "engines/lists/hand_over.h"
#include "engines/sync_subgraph/turns.h"

namespace outcore {

class TurnLists {
 public:
  // `heard`: they are those of the round, not of the other shard.
  TurnLists(const Layout& layout, const Turn& turn, TurnReader& blocks, HandOver& hands, bool heard)
      : layout_(layout),
        turn_(turn),
        index_(turn.shards->index()),
        end_(std::min(turn.vertices.end, index_.listed())),
        blocks_(blocks),
        hands_(hands),
        heard_(heard) {}

  // Those of the readers, each to the one worker that hands over anything of it. Ends early if the
  // load is abandoned; so does construct().
  void hand_over(const Round& round, const Bitmap& readers);
  // All of them, one behind the other, to `edges`. `space`: room for what a block holds.
  void construct(DecodeBuffer edges, DecodeBuffer space);

 private:
  bool open(BlockId block);  // is it there?
  void hand_over_list(const Round& round, VertexId v, const ListAddress& list);
  void construct_list(VertexId v, const ListAddress& list, DecodeBuffer edges, DecodeBuffer space);
  template <typename F>
  std::uint32_t checked(VertexId v, const F& decode) const;
  [[noreturn]] void refuse(VertexId v) const;

  const Layout& layout_;
  const Turn& turn_;
  const ListIndex& index_;
  VertexId end_;
  TurnReader& blocks_;
  HandOver& hands_;
  bool heard_;
  static constexpr BlockId kNoBlock = ~BlockId{0};
  BlockId block_ = kNoBlock;  // the one that is open
  const std::byte* data_ = nullptr;
  bool abandoned_ = false;
};

}  // namespace outcore
