// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/turn_lists.h"

#include <fmt/format.h>

#include <cstring>

#include "common/error.h"

namespace outcore {

void TurnLists::hand_over(const Round& round, const Bitmap& readers) {
  readers.for_each(turn_.vertices.begin, end_, [&](std::size_t i) {
    const auto v = static_cast<VertexId>(i);
    const ListAddress list = index_.address(v);
    if (list.degree > 0 && !abandoned_) hand_over_list(round, v, list);
  });
  hands_.flush();
}

void TurnLists::hand_over_list(const Round& round, VertexId v, const ListAddress& list) {
  const BlockId first = index_.first_block(list);
  const BlockId last = index_.last_block(list);
  if (first == last) {
    if (!open(first)) return;
    const std::uint32_t edges = checked(v, [&] { return hands_.add(v, list, first, data_); });
    if (edges != list.degree) refuse(v);
    return;
  }
  // This worker reads all of it: no other one writes what the vertex hears.
  std::uint64_t edges = 0;
  for (BlockId block = first; block <= last; ++block) {
    if (!open(block)) return;
    hands_.flush();
    edges += checked(v, [&] { return hands_.list_piece(v, list, block, data_, round.messages()); });
    if (!round.program.listens(v)) return;
  }
  if (edges != list.degree) refuse(v);
}

void TurnLists::construct(DecodeBuffer edges, DecodeBuffer space) {
  for (VertexId v = turn_.vertices.begin; v < end_ && !abandoned_; ++v) {
    const ListAddress list = index_.address(v);
    if (list.degree == 0) continue;
    construct_list(v, list, edges, space);
    edges.ids += list.degree;
    if (edges.weights != nullptr) edges.weights += list.degree;
  }
}

void TurnLists::construct_list(VertexId v, const ListAddress& list, DecodeBuffer edges,
                               DecodeBuffer space) {
  std::uint64_t done = 0;
  for (BlockId block = index_.first_block(list); block <= index_.last_block(list); ++block) {
    if (!open(block)) return;
    DecodedPiece piece;
    checked(v, [&] {
      piece = heard_ ? hands_.construct(list, block, data_, space)
                     : layout_.pieces().read(index_.part(list, block), data_, space);
      return piece.count;
    });
    if (piece.count > list.degree - done) refuse(v);
    std::memcpy(edges.ids + done, piece.ids, piece.count * sizeof(VertexId));
    if (edges.weights != nullptr) {
      std::memcpy(edges.weights + done, piece.weights, piece.count * sizeof(float));
    }
    done += piece.count;
  }
  if (done != list.degree) refuse(v);
}

// Before another block is opened, what was added of this one is handed over: it may leave memory.
bool TurnLists::open(BlockId block) {
  if (block == block_) return true;
  hands_.flush();
  data_ = blocks_.block(block);
  block_ = block;
  abandoned_ = data_ == nullptr;
  return !abandoned_;
}

template <typename F>
std::uint32_t TurnLists::checked(VertexId v, const F& decode) const {
  try {
    return decode();
  } catch (const Error& error) {
    if (error.code() == ExitCode::bad_input) refuse(v);
    throw;
  }
}

void TurnLists::refuse(VertexId v) const {
  const BlockFile& file = layout_.block_files()[turn_.shards->file()];
  throw bad_input(Place::offset(file.path, block_ * file.block_bytes),
                  fmt::format("another piece of the list of vertex {} (canonical id)",
                              graph_of(layout_).original(v)),
                  fmt::format("{} edges, as the index says", index_.degree(v)), kBuildAgain);
}

}  // namespace outcore
