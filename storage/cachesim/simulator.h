// SPDX-License-Identifier: Apache-2.0
// What-if replay: how many units would have been read, had the cache had this size and this policy.
//
// A trace is read once, front to back, however many caches are simulated over it, and never held:
// it may be longer than memory, and there is no limit to how long (accesses are counted in 64
// bits). It goes by in chunks (chunk.h) that are prepared while all processors take the caches
// through the one before. What is kept:
//   LRU and OPT        4 bytes a unit id up to the largest asked for (recency.h), else a bit
//   LRU                8 bytes a distinct unit, for all sizes together if there are several
//                      (lru_curve.h); the policy itself is quicker for one
//   OPT                5 bytes a distinct unit, each size (optimal.h)
//   SUB                4 bytes a unit id (rounds_ahead.h; the trace is read by a second reader)
//   others, SUB too    each size 4 bytes a unit id, 8 a slot, and what the policy says of itself
// So a layout of 10^6 units, 4 GB, takes 12 MB for LRU, 5 MB for each size of OPT.
//
// Every asked-for unit counts as one access, each of a run of neighbours too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "storage/cache/policies/policy.h"
#include "storage/trace/trace.h"

namespace outcore {

// A trace that can be read more than once.
struct TraceSource {
  std::uint64_t units = 0;  // ids are below
  std::function<std::unique_ptr<TraceEvents>()> open;
};

TraceSource file_source(const std::filesystem::path& path);

struct CacheJob {
  const PolicyKind* policy = nullptr;
  std::uint64_t units = 0;  // that the cache holds; at least 1
  std::uint64_t seed = 1;
};

struct CacheResult {
  std::uint64_t misses = 0;
  double seconds = 0;  // of one processor, without reading the trace; LRU: of all sizes together
};

struct Simulation {
  std::uint64_t accesses = 0;
  std::uint64_t distinct = 0;        // different units: what an endless cache reads
  std::uint64_t rounds = 0;          // accesses before the first begun round are a round as well
  std::vector<CacheResult> results;  // in the order of the jobs
  double seconds = 0;                // from opening the trace to the last result
};

// Throws a usage Error for a cache of nothing, and what the trace's reader throws.
Simulation simulate(const TraceSource& trace, std::span<const CacheJob> jobs);

}  // namespace outcore
