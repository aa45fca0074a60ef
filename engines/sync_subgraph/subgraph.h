// SPDX-License-Identifier: Apache-2.0
// A full round: intervals of vertices one after the other, each loaded, constructed, updated and
// synchronised (LOSC, section 3.8), while the next one is being loaded.
//
//   load         the in-shard, with `both` the out-shard too, by a ShardLoader
//   construct    each vertex's array of in-edges (Algorithm 1), and with `both` of out-edges, in
//                order of ids: `parallel`, each worker its own vertices as soon as their edges have
//                come (section 3.3), or `serial`, by one worker (LOSC-v1). `fused` has no arrays:
//                a list is decoded and handed to the program while its block is in the cache.
//   update       each worker its own vertices, which hear their in-neighbours: exclusive
//   synchronise  the messages of vertices that changed are taken anew, and these speak too, so
//                that later intervals hear of it (section 3.7: Old-copy := Latest-copy); only where
//                the round is `by_interval`
//
// Workers take turns, ranges of vertices, in order, and wait for a turn's blocks to come. No vertex
// is another worker's too.
//
// Memory: the loader's slots; where it is constructed, 4 bytes an edge of the largest interval, 8
// with weights.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/stopwatch.h"
#include "engines/lists/hand_over.h"
#include "engines/sync_subgraph/interval.h"
#include "engines/sync_subgraph/shard_loader.h"
#include "engines/sync_subgraph/turns.h"

namespace outcore {

enum class Construction : std::uint8_t { fused, parallel, serial };

// How full rounds go; sizes in bytes.
struct FullRoundChoices {
  Construction construction = Construction::fused;
  bool both_shards = false;
  unsigned updates = 1;  // of an interval while it is there
  IntervalRoom room;     // an interval that does not fit is streamed
  std::size_t slot_bytes = 0;
  std::size_t slots_in_turn = 1;
  std::uint64_t kept_bytes = 0;  // for shards that stay
};

// The arrays of edges of an interval's vertices, one behind the other: 4 bytes an edge, 8 with
// weights.
class Subgraph {
 public:
  // For so many edges at least. What was there is lost.
  void make_room(EdgeIndex edges, bool weighted);
  // The edges from the one of this number on; no weights where there are none.
  [[nodiscard]] DecodeBuffer behind(EdgeIndex edge) const;
  [[nodiscard]] std::uint64_t bytes() const { return memory_ ? memory_->memory().size() : 0; }

 private:
  std::optional<FrameArena> memory_;  // all ids, then all weights
  EdgeIndex edges_ = 0;
  bool weighted_ = false;
};

class FullRounds {
 public:
  // `directions`: by number of file, so two of a directed graph. All outlive it.
  FullRounds(const Layout& layout, std::span<const Shards> directions, const Intervals& intervals,
             const FullRoundChoices& choices, Executor& executor, Door& door, TraceWriter* trace);

  struct Counts {
    std::uint64_t edges_loaded = 0;
    std::uint64_t edges_constructed = 0;
    std::uint64_t intervals = 0;  // that were loaded
  };
  // Hands the lists of `readers` over. `skip`: intervals without readers are not loaded.
  // `elsewhere`, by interval: those that the caller reads, and settles; empty: none.
  struct Way {
    bool by_interval = false;
    bool skip = false;
    std::span<const std::uint8_t> elsewhere = {};
    StateWindows& windows;  // an interval's states come into memory with it
  };
  void run(Round& round, const Frontier& readers, const Way& way, std::span<HandOver> hands,
           std::span<Activations* const> outs);

  // Of all rounds; seconds of a stage are those of the slowest worker, those of processors of all.
  [[nodiscard]] const Counts& counts() const { return counts_; }
  struct Seconds {
    double wall = 0;
    double processors = 0;
  };
  [[nodiscard]] const Seconds& construct_seconds() const { return construct_; }
  [[nodiscard]] const Seconds& update_seconds() const { return update_; }
  [[nodiscard]] double synchronise_seconds() const { return synchronise_; }
  [[nodiscard]] double load_seconds() const { return loader_.seconds(); }
  [[nodiscard]] std::uint64_t load_bytes() const { return loader_.bytes(); }
  [[nodiscard]] std::uint64_t subgraph_bytes() const { return subgraph_.bytes(); }
  [[nodiscard]] const KeptBlocks& kept() const { return loader_.kept(); }
  // The most blocks that are asked for at once.
  [[nodiscard]] std::uint32_t part_blocks() const;

 private:
  // An interval, its shards cut into parts and its vertices into turns.
  struct IntervalPlan {
    VertexRange vertices;
    std::vector<ShardPart> parts;
    std::vector<Turn> in_turns;   // numbers of parts count from the interval's first
    std::vector<Turn> out_turns;  // with both shards
    EdgeIndex in_edges = 0;
    EdgeIndex out_edges = 0;
    bool streamed = false;  // never constructed
  };
  using Plan = std::vector<IntervalPlan>;
  struct LoadedInterval {
    const IntervalPlan* plan;
    std::size_t first_part;  // of the load
  };
  struct Work;  // of one round

  const Plan& plan(const DirectedLists& lists);
  [[nodiscard]] IntervalPlan plan_interval(VertexRange vertices, const Shards& in,
                                           const Shards* out);
  void add_shard(IntervalPlan& plan, const Shards& shards, std::vector<Turn>& turns);

  void process_all(Work& work, std::span<const LoadedInterval> intervals, const Way& way);
  void process(Work& work, const LoadedInterval& interval, bool by_interval);
  static void fill(TurnQueue& turns, std::span<const LoadedInterval> intervals);
  template <typename F>
  void take_turns(TurnQueue& turns, unsigned workers, Seconds& seconds, const F& f);
  static void add(Seconds& seconds, std::span<const double> busy);
  static std::uint64_t reported(const Work& work);
  static bool is_heard(const Work& work, const Turn& turn);

  void hand_over(Work& work, std::span<const LoadedInterval> intervals);
  void construct(Work& work, const LoadedInterval& interval);
  void update(Work& work, const IntervalPlan& interval);
  void update_turn(const Work& work, const Turn& turn, unsigned worker);
  void synchronise(Work& work, VertexRange interval);
  void settle(const Work& work, VertexRange vertices, unsigned worker);

  const Layout& layout_;
  std::span<const Shards> directions_;
  const Intervals& intervals_;
  FullRoundChoices choices_;
  Executor& executor_;
  std::array<std::optional<Plan>, 2> plans_;  // by file of the in-shards
  std::size_t kept_slots_;
  std::size_t kept_used_ = 0;
  ShardLoader loader_;
  Subgraph subgraph_;
  std::vector<DecodeSpace> decoded_;  // a worker's
  Counts counts_;
  Seconds construct_;
  Seconds update_;
  double synchronise_ = 0;
};

}  // namespace outcore
