// SPDX-License-Identifier: Apache-2.0
// Targets that stay sorted into bins from one full round to the next (propagation blocking with
// kept targets, Beamer et al., IPDPS 2017; GPOP): where everything is active again and again, the
// lists of a run of pages say the same each time, so that only messages need be written.
//
// The first full round notes, run by run, the targets in the order in which the program is given
// them, bin after bin. Later ones put messages into bins in that order. A run whose targets have no
// room any more is scattered with targets in every round.
//
// A worker's messages of a bin follow one another through its buffers, so to know whose they are
// takes one sequence for all bins: which runs the worker has scattered. KeptPlace is a place in it.
//
// Threads: a run is noted by one worker at a time, and asked for by others in later rounds, or once
// a buffer of its messages was handed over (bins.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "common/unfilled.h"
#include "engines/binning/bin_sizes.h"
#include "engines/program.h"
#include "storage/io/merge.h"

namespace outcore {

class KeptIds {
 public:
  KeptIds(const BinSizes& sizes, std::uint64_t space) : sizes_(sizes), space_(space) {}

  // What is kept holds for these runs only, and `same` says whether vertices still follow each
  // other in them as before. Forgets it all where it does not. Returns whether it holds.
  bool begin_round(std::span<const BlockRun> runs, bool same);
  [[nodiscard]] bool has(std::size_t run) const { return !runs_[run].begins.empty(); }
  [[nodiscard]] std::span<const VertexId> ids(std::size_t run, std::size_t bin) const {
    const Run& kept = runs_[run];
    return std::span(kept.ids).subspan(kept.begins[bin], kept.begins[bin + 1] - kept.begins[bin]);
  }
  // The targets of a run, in order, if there is room for them.
  void keep(std::size_t run, std::span<const VertexId> targets);
  [[nodiscard]] std::uint64_t bytes() const { return used_.load(std::memory_order_relaxed); }

 private:
  struct Run {
    Unfilled<VertexId> ids;             // by bin
    std::vector<std::uint32_t> begins;  // of each bin, and behind the last one; empty: not kept
  };
  const BinSizes sizes_;
  std::uint64_t space_;
  std::vector<BlockRun> of_;
  std::vector<Run> runs_;
  std::atomic<std::uint64_t> used_{0};  // relaxed: a budget, which publishes nothing
};

// The next message of a bin is for the `offset`-th target of the `number`-th run of the sequence.
struct KeptPlace {
  std::uint32_t number = 0;
  std::uint32_t offset = 0;
};

// f(targets, first) for `count` messages of a bin from `place` on, in pieces; returns the place
// behind them. REQUIRES: `runs` goes so far.
template <typename F>
KeptPlace for_each_kept(const KeptIds& kept, const std::uint32_t* runs, std::size_t bin,
                        KeptPlace place, std::size_t count, const F& f) {
  for (std::size_t first = 0; first < count;) {
    const std::span<const VertexId> ids = kept.ids(runs[place.number], bin);
    const std::size_t some = std::min(ids.size() - place.offset, count - first);
    if (some > 0) f(ids.data() + place.offset, first, some);
    first += some;
    place.offset += static_cast<std::uint32_t>(some);
    if (place.offset == ids.size()) place = {place.number + 1, 0};
  }
  return place;
}

}  // namespace outcore
