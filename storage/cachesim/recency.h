// SPDX-License-Identifier: Apache-2.0
// For each access of a trace, when its unit was asked for before. This is all that exact LRU and
// exact OPT need (lru_curve.h, optimal.h), and it is computed once for all of them.
//
// Time is counted in positions of a window. Of the past, only the last access to each unit matters.
// When the window is full, these move to its front (renumbering.h), and the window becomes four
// times as long as their number, so renumbering costs little per access. Memory is 4 bytes per unit
// id up to the largest asked for, plus half a byte per distinct unit, and no trace is too long.
#pragma once

#include "storage/cachesim/chunk.h"

namespace outcore {

class Recency {
 public:
  // Tests may set the smallest window, which holds at least a chunk.
  explicit Recency(std::size_t smallest_window = std::size_t{1} << 20);

  // Fills in the parts of `chunk` that concern recency (chunk.h), from its units.
  void annotate(AccessChunk& chunk);
  // Number of different units asked for so far: what an infinite cache reads.
  [[nodiscard]] std::uint64_t distinct() const { return distinct_; }

 private:
  void renumber(AccessChunk& chunk);

  std::size_t smallest_window_;
  std::size_t window_ = 0;
  std::size_t now_ = 0;         // position of the next access
  std::vector<Position> last_;  // last access to each unit; kNever if none
  std::uint64_t distinct_ = 0;
};

}  // namespace outcore
