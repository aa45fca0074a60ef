// SPDX-License-Identifier: Apache-2.0
// Benefit-aware scheduling (LOSC, sections 3.5 and 3.6): is it cheaper to read all shards in order,
// or only the lists of active vertices?
//
// `paper`, with |V| vertices, lists of C bytes in one direction on average, values of N bytes, A
// the active vertices, and rates in bytes a second (random and sequential reads, sequential
// writes):
//
//   C  = |V|(2C + N) / T_sr + |V|N / T_sw          all in-shards and out-shards
//   C' = sum over A of list bytes / T_rr + 2|V|N / T_sr + |V|N / T_sw
//
// with |V|C in place of 2|V|C where the in-shards alone are loaded, as of every undirected graph.
// N is 0 where values are in memory. It takes a list of 30 bytes for 30 bytes; a device reads the
// block.
//
// `requests`:
//   all       as long as the device or the processors need, whichever is more, for shards are
//             loaded while they are updated: bytes / T_sr, or what their requests cost, which seek
//             at the start of an interval alone; the processors' time of this run's last full round
//   selected  both together, for a worker has few frames, and tells the edges of what has come
//             before it asks for more: what its merged requests cost; its edges, by the processors'
//             time an edge in this run's selected rounds
//
// Selected is chosen where it costs no more. What is kept in memory costs the device nothing.
//
// `interval` compares as `requests` does, and in a full round once more for each interval: all of
// its shard, or the blocks of those of its vertices that listen (HUS-Graph's hybrid).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/bitmap.h"
#include "common/executor.h"
#include "engines/frontier.h"
#include "engines/sync_subgraph/shard.h"
#include "storage/io/device_rates.h"
#include "storage/source/kept_blocks.h"

namespace outcore {

// Seconds that the two ways of a round would take.
struct Estimate {
  double full = 0;
  double selected = 0;  // at least this, where it is more than `full`
  [[nodiscard]] bool selects() const { return selected <= full; }
};

class BenefitModel {
 public:
  enum class Kind : std::uint8_t { requests, paper, interval };
  // What does not change from round to round.
  struct Costs {
    Kind kind = Kind::requests;
    DeviceRates rates;
    MergeLimits merging;  // of selected rounds
    unsigned processors = 1;
  };
  explicit BenefitModel(Costs costs) : costs_(std::move(costs)) {}

  // What a full round loads: bytes of shards, of which some blocks are in memory, and the edges.
  // Where none are, so many intervals' first requests, and others in order.
  struct Full {
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
    std::uint64_t intervals = 0;
    const KeptBlocks& kept;
    EdgeIndex edges = 0;
    std::uint64_t value_bytes = 0;  // |V|N: of values that are on disk
  };
  // `lists`: of the direction in which the active vertices speak.
  Estimate estimate(const Full& full, const Frontier& active, const Shards& lists,
                    Executor& executor);
  // Do the blocks with lists of `readers` cost the device less than all of the interval's shard?
  [[nodiscard]] bool selects(VertexRange interval, const Bitmap& readers, const Shards& lists,
                             const KeptBlocks& kept) const;

  // What a round took all processors together.
  void learn_full(double processor_seconds) { full_processor_s_ = processor_seconds; }
  void learn_selected(double processor_seconds, std::uint64_t edges);

 private:
  // Of the lists of active vertices.
  struct Wanted {
    std::uint64_t bytes = 0;  // counted for `paper` alone
    EdgeIndex edges = 0;
    std::uint64_t blocks = 0;
  };
  [[nodiscard]] double full_cost(const Full& full) const;
  [[nodiscard]] double values_cost(std::uint64_t bytes, double reads) const;
  // Of lists alone, without the values, and without what requests cost beside their bytes if
  // `requests` is 0.
  [[nodiscard]] double selected_cost(const Wanted& wanted, std::uint64_t requests,
                                     std::uint64_t block_bytes) const;
  // Counted until they cost more than `most`.
  Wanted count(const Frontier& active, const Shards& lists, const KeptBlocks& kept, double most,
               Executor& executor);

  Costs costs_;
  std::optional<double> full_processor_s_;
  std::optional<double> edge_processor_s_;  // of a selected round
  Bitmap blocks_;  // that the lists of active vertices lie in, and are not kept
};

// Those of the device in docs/architecture.md, for one that was not probed.
DeviceRates guessed_rates();

}  // namespace outcore
