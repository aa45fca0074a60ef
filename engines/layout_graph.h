// SPDX-License-Identifier: Apache-2.0
// Turns the lists of a layout into the pieces that programs get.
#pragma once

#include "engines/graph_of.h"
#include "engines/program.h"
#include "engines/take_messages.h"
#include "storage/layout/layout.h"

namespace outcore {

// The memory in which one worker decodes the pieces of a block; empty if the layout needs no
// decoding.
class DecodeSpace {
 public:
  explicit DecodeSpace(const PieceFormat& format)
      : ids_(format.encoded() ? format.most_edges() : 0),
        weights_(format.encoded() && format.weighted() ? format.most_edges() : 0) {}
  // The space after the first `used` edges.
  [[nodiscard]] DecodeBuffer behind(std::size_t used) {
    return {ids_.data() + used, weights_.data() + used};
  }

 private:
  std::vector<VertexId> ids_;
  std::vector<float> weights_;
};

// A whole list from the index.
inline Piece inline_piece(const ListIndex& index, VertexId v, std::uint32_t slot) {
  const InlineList list = index.inline_list(v);
  return {.v = v,
          .slot = slot,
          .count = list.degree,
          .degree = list.degree,
          .ids = list.ids,
          .weights = list.weights};
}

// A part of v's list that was read from a block.
inline Piece decoded_piece(VertexId v, std::uint32_t slot, const ListAddress& list,
                           const DecodedPiece& decoded) {
  return {.v = v,
          .slot = slot,
          .first = static_cast<std::uint32_t>(decoded.first),
          .count = decoded.count,
          .degree = static_cast<std::uint32_t>(list.degree),
          .ids = decoded.ids,
          .weights = decoded.weights};
}

}  // namespace outcore
