// SPDX-License-Identifier: Apache-2.0
// What-if replay: how many units would have been read, had the cache had this size and this policy.
//
// A Replay is a trace in memory: 4 bytes an access. The CacheSimulator adds each access's next use
// (4 bytes an access) and, for every cache that is being simulated, 4 bytes a unit and the policy's
// own bytes a slot (8 LRU, 12 SUB, 20 OPT) plus 4. So 10^7 accesses to 10^6 units take 80 MB, and
// each cache that is simulated at the same time at most 28 MB more.
//
// The simulator is immutable; run() may be called from many threads at once. The Replay must
// outlive it. Every asked-for unit counts as one access, each of a run of neighbours too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/cache/policies/policy.h"
#include "storage/trace/trace.h"

namespace outcore {

struct Replay {
  std::vector<std::uint32_t> units;    // what was asked for, in order
  std::vector<Position> round_begins;  // ascending; what lies before the first is a round as well
};

// Reads the rest of a trace. Throws a usage Error when it is longer than positions can count.
Replay load_replay(TraceReader& reader);

struct CacheJob {
  const PolicyKind* policy = nullptr;
  std::uint64_t units = 0;  // that the cache holds; at least 1
  std::uint64_t seed = 1;
};

struct CacheResult {
  std::uint64_t misses = 0;
  double seconds = 0;
};

class CacheSimulator {
 public:
  explicit CacheSimulator(const Replay& replay);

  [[nodiscard]] std::uint64_t accesses() const { return replay_.units.size(); }
  // Different units asked for: what an endless cache reads.
  [[nodiscard]] std::uint64_t distinct() const { return distinct_; }
  // Accesses before the first begun round are a round as well.
  [[nodiscard]] std::uint64_t rounds() const;

  [[nodiscard]] CacheResult run(const CacheJob& job) const;
  // All of them, as many at a time as there are processors; results in the order of `jobs`.
  [[nodiscard]] std::vector<CacheResult> run_all(std::span<const CacheJob> jobs) const;

 private:
  const Replay& replay_;
  std::uint32_t unit_end_ = 0;  // ids are below
  std::uint64_t distinct_ = 0;
  std::vector<Position> next_use_;  // of the unit of each access
};

}  // namespace outcore
