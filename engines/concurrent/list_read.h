// SPDX-License-Identifier: Apache-2.0
// One list that is read by itself, some blocks a request, from its first block on: what
// ProcessQueue and the stacks of drive() have in flight.
#pragma once

#include "engines/engine.h"
#include "engines/layout_graph.h"
#include "storage/layout/layout.h"

namespace outcore {

struct ListRead {
  VertexId v = kNoVertex;
  ListAddress list;
  BlockId next = 0;  // is asked for next
  BlockId end = 0;
  BlockRun flight;

  // Of a list that lies in blocks.
  static ListRead whole(const ListIndex& index, VertexId v) {
    const ListAddress list = index.address(v);
    return {.v = v,
            .list = list,
            .next = index.first_block(list),
            .end = index.last_block(list) + 1,
            .flight = {}};
  }

  // The next blocks, at most so many, are to be asked for.
  void fly(std::uint32_t most) {
    flight = {next, static_cast<std::uint32_t>(std::min<std::uint64_t>(most, end - next))};
    next += flight.blocks;
  }

  // The part of the list in the i-th of the blocks in flight, which have come and begin at `data`.
  [[nodiscard]] DecodedPiece decode(const Layout& layout, const ListIndex& index,
                                    const std::byte* data, std::uint32_t i,
                                    DecodeBuffer buffer) const {
    return layout.pieces().read(index.part(list, flight.first + i),
                                data + i * std::size_t{layout.facts().block_bytes}, buffer);
  }
  [[nodiscard]] Piece piece(const DecodedPiece& decoded) const {
    return decoded_piece(v, v, list, decoded);
  }
};

}  // namespace outcore
