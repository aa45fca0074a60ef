// SPDX-License-Identifier: Apache-2.0
// Losses of power of a store in persistent memory, one at each operation of its life (a flush of
// lines, a fence, a request for room).
//
// A life follows from a seed: a stream with duplicates and removals (also of what is not there), in
// portions of one update to many, a log that is written round several times, flushes of all,
// compactions of one vertex and of all, snapshots that are held, and openings. A *point* is a seed
// and the number of an operation. There something happens; then the store is opened again and lives
// on, power is cut again soon, often in recovery, and then it lives to its end.
//
// What is checked each time, from outside alone: A was acknowledged, S was handed over.
//   - It opens as the first P updates, with A <= P <= S: each edge as often as a replay of these P
//     has it, in the out-lists and, transposed, in the in-lists; so many removals were of nothing.
//   - A reader, which writes privately, finds the same.
//   - Opening it twice gives the same P and the same lists.
//   - The rest goes in, and the end is that of a store that nothing happened to.
#pragma once

#include <cstdint>
#include <string>

#include "tests/crash/pmem_subject.h"
#include "tests/crash/sim_memory.h"

namespace outcore::evolving {

struct PmemPoint {
  std::uint64_t seed = 0;
  std::uint64_t operation = 1;
  SimMemory::Fault fault = SimMemory::Fault::power_cut;
};

// The operations of the life of a seed if nothing happens.
std::uint64_t operations_of_life(const PmemSubject& subject, std::uint64_t seed);

// What was wrong; empty if nothing.
std::string try_point(const PmemSubject& subject, const PmemPoint& point);

}  // namespace outcore::evolving
