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
// A gatherer goes through a bin run after run. So a bin's targets of successive runs lie one behind
// the other, in *pieces* of memory.
//
// Threads: a run is noted by one worker at a time, and asked for by others in later rounds, or once
// a buffer of its messages was handed over (bins.h). Bins have a mutex each, for their pieces.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "common/numa.h"
#include "engines/binning/bin_sizes.h"
#include "engines/program.h"
#include "storage/io/merge.h"

namespace outcore {

class KeptIds {
 public:
  // At most `space` bytes are used.
  KeptIds(const BinSizes& sizes, std::uint64_t space);

  // What is kept holds for these runs only, and `same` says whether vertices still follow each
  // other in them as before. Forgets it all where it does not. Returns whether it holds.
  bool begin_round(std::span<const BlockRun> runs, bool same);
  [[nodiscard]] bool has(std::size_t run) const { return !runs_[run].empty(); }
  [[nodiscard]] std::span<const VertexId> ids(std::size_t run, std::size_t bin) const {
    const Part& part = runs_[run][bin];
    return {memory() + part.begin, part.count};
  }
  // The targets of a run, in order, if there is room for them.
  void keep(std::size_t run, std::span<const VertexId> targets);
  [[nodiscard]] std::uint64_t bytes() const { return used_.load(std::memory_order_relaxed); }

 private:
  // Of a run, in one bin.
  struct Part {
    std::uint64_t begin = 0;  // in the memory
    std::uint32_t count = 0;
  };
  // Of a bin: what is free in its last piece.
  struct Piece {
    std::mutex mutex;
    std::uint64_t next = 0;
    std::uint64_t end = 0;
  };

  [[nodiscard]] VertexId* memory() const { return reinterpret_cast<VertexId*>(memory_.get()); }
  bool reserve(std::uint64_t bytes);
  bool make_room(std::size_t bin, Part& part);

  const BinSizes sizes_;
  std::uint64_t space_;
  std::uint64_t piece_;  // ids
  numa::Memory memory_;  // used as far as pieces were cut from it
  std::vector<BlockRun> of_;
  std::vector<std::vector<Part>> runs_;  // by bin; empty: not kept
  std::vector<Piece> pieces_;            // one a bin
  // Relaxed: a budget and a place, which publish nothing.
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> cut_{0};
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
