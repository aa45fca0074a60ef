// SPDX-License-Identifier: Apache-2.0
// For each access of a trace, when its unit was asked for before: all that exact LRU and exact OPT
// have to know (lru_curve.h, optimal.h), found once for all of them.
//
// Time is counted in positions of a window. Of the past only the last access to each unit matters;
// when the window is full, these move to its front (renumbering.h) and the window becomes four
// times as long as they are many, so that this costs little an access. So memory is 4 bytes a unit
// id up to the largest asked for, half a byte a distinct unit, and no trace is too long.
#pragma once

#include "storage/cachesim/chunk.h"

namespace outcore {

class Recency {
 public:
  // The smallest window may be set by tests; it holds a chunk at least.
  explicit Recency(std::size_t smallest_window = std::size_t{1} << 20);

  // Fills in what chunk.h says of recency, from its units.
  void annotate(AccessChunk& chunk);
  // Different units asked for so far: what an endless cache reads.
  [[nodiscard]] std::uint64_t distinct() const { return distinct_; }

 private:
  void renumber(AccessChunk& chunk);

  std::size_t smallest_window_;
  std::size_t window_ = 0;
  std::size_t now_ = 0;         // position of the next access
  std::vector<Position> last_;  // access to each unit; kNever: none
  std::uint64_t distinct_ = 0;
};

}  // namespace outcore
