// SPDX-License-Identifier: Apache-2.0
// The sliding windows: of each shard the part whose sources lie in the sub-interval under way,
// which holds its vertices' out-edges (LOSC, section 2.2). They slide on as sub-intervals pass; a
// block in which one ends and the next begins is read for both.
#pragma once

#include <span>
#include <vector>

#include "engines/psw/edge_slots.h"
#include "engines/psw/transfers.h"
#include "storage/layout/edges/edge_values.h"

namespace outcore {

struct SlidingWindow {
  std::uint32_t shard = 0;
  std::span<const SourceRun> runs;  // those in the sub-interval
  EdgeSlot first = 0;               // of the first run's first edge; the others follow
  EdgeIndex edges = 0;
  bool dirty = false;
  // Where it lies: blocks of targets, and their first slot.
  BlockId first_block = 0;
  std::uint64_t blocks = 0;
  EdgeSlot first_slot = 0;
};

class SlidingWindows {
 public:
  // Slots from `first_slot` on, which begins a block; `runs` has room for any row's.
  SlidingWindows(const EdgeLayout& layout, const EdgeSlots& slots, EdgeSlot first_slot,
                 std::byte* runs)
      : layout_(layout), slots_(slots), first_slot_(first_slot), runs_(runs) {}

  void clear();
  // Asks for the runs of the interval's windows of all shards; of its own only if `own`. They are
  // there after finish_reads().
  void load_runs(std::uint32_t interval, bool own, Transfers& transfers);
  // On to a sub-interval, which is behind the last one. REQUIRES: the runs are there.
  void slide(VertexRange sub_interval);
  // Asks for the targets, and for the values, of where the windows are now.
  void load_edges(Transfers& transfers);
  void load_values(Transfers& transfers);
  // Those that are dirty, whole; returns how many.
  std::uint64_t write_back(Transfers& transfers);

  [[nodiscard]] std::span<SlidingWindow> windows() { return windows_; }
  [[nodiscard]] std::span<const SlidingWindow> windows() const { return windows_; }

 private:
  // Of one shard, behind the sub-intervals that have passed.
  struct Rest {
    const EdgeCell* cell;
    std::span<const SourceRun> runs;
    EdgeIndex passed = 0;  // edges
  };
  struct ValueBlocks {
    BlockId first;
    std::uint64_t blocks;
    std::byte* memory;
  };
  [[nodiscard]] ValueBlocks values_of(const SlidingWindow& window) const;

  const EdgeLayout& layout_;
  EdgeSlots slots_;
  EdgeSlot first_slot_;
  std::byte* runs_;
  std::vector<Rest> rests_;  // one a window
  std::vector<SlidingWindow> windows_;
};

}  // namespace outcore
