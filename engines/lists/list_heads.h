// SPDX-License-Identifier: Apache-2.0
// The first neighbours of each vertex that a layout keeps in memory (--heads), of one direction.
#pragma once

#include <algorithm>
#include <span>

#include "common/bitmap.h"
#include "common/ids.h"
#include "storage/layout/layout.h"

namespace outcore {

class ListHeads {
 public:
  ListHeads(const Layout& layout, Direction direction)
      : column_(layout.heads(direction)),
        held_(layout.choices().heads),
        listed_(layout.index(direction).listed()) {}

  // How many the layout holds of each.
  [[nodiscard]] unsigned held() const { return held_; }
  // The first of v, at most k. REQUIRES: at most held().
  [[nodiscard]] std::span<const VertexId> of(VertexId v, unsigned k) const {
    if (v >= listed_) return {};
    const std::span<const VertexId> heads = column_.subspan(std::size_t{v} * held_, k);
    const auto end = std::find(heads.begin(), heads.end(), kNoVertex);
    return heads.first(static_cast<std::size_t>(end - heads.begin()));
  }
  [[nodiscard]] std::span<const VertexId> of(VertexId v) const { return of(v, held_); }
  // Is one of v's among these?
  [[nodiscard]] bool one_of(VertexId v, const Bitmap& vertices) const {
    const std::span<const VertexId> heads = of(v);
    return std::any_of(heads.begin(), heads.end(), [&](VertexId u) { return vertices.get(u); });
  }

 private:
  std::span<const VertexId> column_;
  unsigned held_;
  std::size_t listed_;
};

}  // namespace outcore
