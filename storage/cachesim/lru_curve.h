// SPDX-License-Identifier: Apache-2.0
// The misses of LRU for caches of all sizes, exactly, in one pass over the accesses.
//
// A cache of LRU holds the units asked for last. So an access hits exactly when the cache has room
// for the units asked for since the last access to the same one, itself among them: its *stack
// distance* (Mattson et al. 1970 [1]). We count accesses by it.
//
// Each position of the window (recency.h) that is the last access to its unit carries a mark; the
// distance of an access is the number of marks from its unit's on. Marks are bits; how many lie in
// the blocks of 512 before one is kept in a Fenwick tree (1994 [2]), which is short enough to stay
// in the first cache: the block that is being filled needs no entry, so most accesses change one
// bit in each of two words and one path of the tree. (Trees over time for stack distances go back
// to Bennett and Kruskal 1975 [3].) 8 bytes a distinct unit and half a byte for the window.
//
// [1] R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger. Evaluation techniques for storage
//     hierarchies. IBM Systems Journal 9(2), 1970.
// [2] P. M. Fenwick. A new data structure for cumulative frequency tables. Software: Practice and
//     Experience 24(3), 1994.
// [3] B. T. Bennett, V. J. Kruskal. LRU stack processing. IBM Journal of R&D 19(4), 1975.
#pragma once

#include "storage/cachesim/chunk.h"

namespace outcore {

class LruCurve final : public ChunkConsumer {
 public:
  void replay(const AccessChunk& chunk) override;

  // Of a cache of `units`, so far.
  [[nodiscard]] std::uint64_t misses(std::uint64_t units) const;

 private:
  void restart(const Renumbering& renumbering);
  [[nodiscard]] std::uint64_t marks_to(Position position) const;
  void unmark(Position position);
  void mark(Position position);

  std::vector<std::uint64_t> marks_;        // bits by position
  std::vector<std::uint32_t> tree_;         // marks in full blocks; node i ends with block i - 1
  std::size_t block_ = 0;                   // that is being filled
  std::uint64_t live_ = 0;                  // marks in all: units asked for so far
  std::vector<std::uint64_t> by_distance_;  // accesses; the distance of entry i is i + 1
};

}  // namespace outcore
