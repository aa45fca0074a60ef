// SPDX-License-Identifier: Apache-2.0
// The misses of LRU for caches of all sizes, exactly, in one pass over the accesses.
//
// An LRU cache holds the units that were asked for last. So an access hits exactly if the cache has
// room for all units asked for since the last access to the same unit, including that one. Their
// number is the *stack distance* (Mattson et al. 1970 [1]). We count accesses by stack distance.
//
// Each position of the window (recency.h) that is the last access to its unit has a mark. The
// distance of an access is the number of marks from its unit's mark on. Marks are bits. A Fenwick
// tree (1994 [2]) keeps how many lie in the blocks of 512 positions before each block, and it is
// short enough to stay in the first-level cache. The block that is being filled needs no entry, so
// most accesses change one bit in each of two words and one path of the tree. (Trees over time for
// stack distances go back to Bennett and Kruskal 1975 [3].) 8 bytes per distinct unit, and half a
// byte per distinct unit for the window.
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

  // The misses so far of a cache of `units`.
  [[nodiscard]] std::uint64_t misses(std::uint64_t units) const;

 private:
  void restart(const Renumbering& renumbering);
  [[nodiscard]] std::uint64_t marks_to(Position position) const;
  void unmark(Position position);
  void mark(Position position);

  std::vector<std::uint64_t> marks_;        // bits by position
  std::vector<std::uint32_t> tree_;         // marks in full blocks; node i ends with block i - 1
  std::size_t block_ = 0;                   // the block that is being filled
  std::uint64_t live_ = 0;                  // number of marks: units asked for so far
  std::vector<std::uint64_t> by_distance_;  // accesses; entry i counts distance i + 1
};

}  // namespace outcore
