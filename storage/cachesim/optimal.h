// SPDX-License-Identifier: Apache-2.0
// The misses of OPT (Belady 1966 [1]) for a cache of one size, exactly, from the past alone.
//
// An access hits if its unit was kept since its last access, that is, for the *interval* between
// the two. A cache of C units can keep a set of intervals if at no time more than C - 1 of them are
// open, because the unit that is being asked for takes a place too. So the most hits are the most
// intervals that C - 1 machines can take without an overlap. An optimal choice goes through the
// intervals by their ends, which is the order of the trace, and gives each to the machine that
// became idle last before the interval begins, if there is one (Faigle and Nawijn 1995 [2]; by
// exchange: an interval that ends first can replace any that it excludes). Jain and Lin's OPTgen
// (2016 [3]) rests on the same fact, that *counting* OPT's misses needs no future. With machines,
// their vector of occupancies becomes a search for one set bit.
//
// So the state is since when each of C - 1 machines is idle, as positions of the window
// (recency.h). When the window is renumbered, several may fall on one position: between two kept
// positions no interval begins that could tell them apart. Half a byte and 4 bytes per distinct
// unit.
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
  // A cache of `units`. REQUIRES: at least 1.
  explicit OptimalMisses(std::uint64_t units) : untouched_(units - 1) {}

  void replay(const AccessChunk& chunk) override;
  // So far.
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  void renumber(const Renumbering& renumbering);
  [[nodiscard]] bool take_machine(Position idle_since);
  void return_machine(Position idle_since);

  std::uint64_t untouched_;        // machines that were never used
  PositionSet idle_;               // since when the other machines are idle
  std::vector<Position> several_;  // number of machines idle since each renumbered position
  std::uint64_t misses_ = 0;
};

}  // namespace outcore
