// SPDX-License-Identifier: Apache-2.0
// The lists of a snapshot in the pieces that programs get, as MemoryEngine wants them.
#pragma once

#include "engines/program.h"
#include "storage/evolving/standing_lists.h"

namespace outcore {

class SnapshotPieces {
 public:
  static constexpr bool kWhole = false;

  SnapshotPieces() = default;
  explicit SnapshotPieces(evolving::StandingLists lists) : lists_(std::move(lists)) {}

  [[nodiscard]] const evolving::StandingLists& lists() const { return lists_; }
  [[nodiscard]] std::uint64_t degree(VertexId v) const { return lists_.degree(v); }
  [[nodiscard]] const Bitmap& linked() const { return lists_.linked(); }
  [[gnu::always_inline]] void prefetch(VertexId v) const { lists_.prefetch(v); }
  [[gnu::always_inline]] void prefetch_place(VertexId v) const { lists_.prefetch_place(v); }
  [[nodiscard]] const evolving::Placement* placement() const { return lists_.placement(); }
  [[nodiscard]] unsigned side() const { return lists_.side(); }

  template <typename F>
  void for_each_piece(VertexId v, std::uint32_t slot, F&& f) const {
    Piece piece{.v = v, .slot = slot, .degree = static_cast<std::uint32_t>(degree(v))};
    lists_.for_each_piece(v, [&](std::span<const VertexId> ids) {
      piece.first += piece.count;
      piece.count = static_cast<std::uint32_t>(ids.size());
      piece.ids = ids.data();
      return f(std::as_const(piece));
    });
  }

 private:
  evolving::StandingLists lists_;
};

}  // namespace outcore
