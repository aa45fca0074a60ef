// SPDX-License-Identifier: Apache-2.0
// The misses of OPT (Belady 1966 [1]) for a cache of one size, exactly, from the past alone.
//
// An access hits if its unit was kept since its last access: for the *interval* between the two. A
// choice of intervals can all be kept by a cache of C units if at no time more than C - 1 of them
// are open, for the unit that is being asked for takes a place too. The most hits are therefore the
// most intervals that C - 1 machines can take on without an overlap, and that is got by going
// through the intervals by their ends, which is the order of the trace, and giving each to the
// machine that became idle latest before its begin, if there is one (Faigle and Nawijn 1995 [2];
// the exchange argument: an interval that ends first can stand in for any that it excludes). That
// no future is needed to *count* what OPT misses is what Jain and Lin's OPTgen rests on (2016 [3]);
// machines make of its vector of occupancies a search for one set bit.
//
// So all there is to keep is since when each of C - 1 machines is idle, as positions of the window
// (recency.h). When that is renumbered, several may fall on one: between two kept positions begins
// no interval that could tell them apart. Half a byte a distinct unit for the window and 4 bytes.
//
// [1] L. A. Belady. A study of replacement algorithms for a virtual-storage computer. IBM Systems
//     Journal 5(2), 1966.
// [2] U. Faigle, W. M. Nawijn. Note on scheduling intervals on-line. Discrete Applied Mathematics
//     58(1), 1995. M. C. Carlisle, E. L. Lloyd. On the k-coloring of intervals. ibid. 59(3), 1995.
// [3] A. Jain, C. Lin. Back to the future: leveraging Belady's algorithm for improved cache
//     replacement. ISCA 2016.
#pragma once

#include "storage/cachesim/chunk.h"
#include "storage/cachesim/position_set.h"

namespace outcore {

class OptimalMisses final : public ChunkConsumer {
 public:
  // A cache of `units`, at least 1.
  explicit OptimalMisses(std::uint64_t units) : untouched_(units - 1) {}

  void replay(const AccessChunk& chunk) override;
  // So far.
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  void renumber(const Renumbering& renumbering);
  [[nodiscard]] bool take_machine(Position idle_since);
  void return_machine(Position idle_since);

  std::uint64_t untouched_;        // machines that are idle since ever
  PositionSet idle_;               // since when others are
  std::vector<Position> several_;  // machines idle since each of the positions that were renumbered
  std::uint64_t misses_ = 0;
};

}  // namespace outcore
