// SPDX-License-Identifier: Apache-2.0
// What-if replay: how many units would have been read if the cache had this size and this policy.
//
// However many caches are simulated, the trace is read once, from front to back, and never held in
// memory. It may be longer than memory, without limit (accesses are counted in 64 bits). It is cut
// into chunks (chunk.h). While one chunk is prepared, all processors run the caches over the
// previous one. Memory:
//   LRU and OPT        4 bytes per unit id up to the largest asked for (recency.h); without them
//                      one bit
//   LRU                8 bytes per distinct unit for all sizes together (lru_curve.h); for a single
//                      size the policy itself is run, which is faster
//   OPT                5 bytes per distinct unit and size (optimal.h)
//   SUB                4 bytes per unit id (rounds_ahead.h; a second reader reads the trace)
//   others, also SUB   per size 4 bytes per unit id, 8 per slot, and what the policy itself states
// So a layout of 10^6 units (4 GB) takes 12 MB for LRU, and 5 MB for each size of OPT.
//
// Every unit that is asked for counts as one access, also within a run of neighbours.
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
  std::uint64_t units = 0;  // ids are below this
  std::function<std::unique_ptr<TraceEvents>()> open;
};

TraceSource file_source(const std::filesystem::path& path);

struct CacheJob {
  const PolicyKind* policy = nullptr;
  std::uint64_t units = 0;  // the cache's size; at least 1
  std::uint64_t seed = 1;
};

struct CacheResult {
  std::uint64_t misses = 0;
  double seconds = 0;  // processor time without reading the trace; LRU: all sizes together
};

struct Simulation {
  std::uint64_t accesses = 0;
  std::uint64_t distinct = 0;        // different units: what an infinite cache reads
  std::uint64_t rounds = 0;          // includes the one before the first begins, if it has accesses
  std::vector<CacheResult> results;  // in the order of the jobs
  double seconds = 0;                // from opening the trace to the last result
};

// Throws a usage Error for a cache without units, and what the trace's reader throws.
Simulation simulate(const TraceSource& trace, std::span<const CacheJob> jobs);

}  // namespace outcore
