// SPDX-License-Identifier: Apache-2.0
// All lists of one direction of a layout, in memory: read once, from front to back, through the I/O
// door.
//
// In every raw layout without weights a list occupies consecutive slots of the block file and is
// used in place. The lists of other layouts are decoded once into one array.
#pragma once

#include <vector>

#include "common/numa.h"
#include "common/unfilled.h"
#include "engines/engine.h"
#include "engines/layout_graph.h"
#include "engines/lists/round.h"

namespace outcore {

class Lists {
 public:
  Lists() = default;
  Lists(const Layout& layout, Direction direction, const EngineOptions& options);

  [[nodiscard]] std::uint64_t degree(VertexId v) const { return index_->degree(v); }
  [[nodiscard]] Piece whole(VertexId v, std::uint32_t slot) const;
  // As MemoryEngine wants it: every list is one piece.
  static constexpr bool kWhole = true;
  template <typename F>
  void for_each_piece(VertexId v, std::uint32_t slot, F&& f) const {
    f(whole(v, slot));
  }
  // The vertices that have edges in this direction.
  [[nodiscard]] const Bitmap& linked() const { return linked_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] const IoCounters& io() const { return io_; }
  // The backend that was really used.
  [[nodiscard]] const std::string& backend() const { return backend_; }
  [[nodiscard]] BackendTraits backend_traits() const { return backend_traits_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void read(const DirectedLists& lists, const EngineOptions& options);
  void decode(const Layout& layout, const EngineOptions& options);

  const ListIndex* index_ = nullptr;
  numa::Memory blocks_;                // if lists are used in place: the file
  std::vector<std::uint64_t> starts_;  // if lists were decoded: by vertex, into
  Unfilled<VertexId> ids_;             // this array
  Unfilled<float> weights_;
  Bitmap linked_;
  IoCounters io_;
  std::string backend_;
  BackendTraits backend_traits_;
  std::vector<std::string> notes_;
};

inline Piece Lists::whole(VertexId v, std::uint32_t slot) const {
  const std::uint64_t degree = index_->degree(v);
  if (index_->is_inline(degree)) return inline_piece(*index_, v, slot);
  Piece piece{.v = v,
              .slot = slot,
              .count = static_cast<std::uint32_t>(degree),
              .degree = static_cast<std::uint32_t>(degree)};
  if (starts_.empty()) {
    piece.ids = reinterpret_cast<const VertexId*>(blocks_.get()) + index_->address(v).position;
  } else {
    piece.ids = ids_.data() + starts_[v];
    if (!weights_.empty()) piece.weights = weights_.data() + starts_[v];
  }
  return piece;
}

}  // namespace outcore
