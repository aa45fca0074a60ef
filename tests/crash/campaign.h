// SPDX-License-Identifier: Apache-2.0
// Crashes of a durable store, one at each operation of its life.
//
// A life follows from a seed: a stream with duplicates and removals (also of what is not there),
// groups of one page to several, flushes in the middle of pages, merges, compactions, clean ends
// and reopenings, and a log that is written round several times. A *point* is a seed and the number
// of an operation. There something happens; then the store is opened again and lives on, something
// happens again within the next operations, often in recovery, and then it lives to its end.
//
// What is checked each time, from outside alone: A was acknowledged, S was handed over.
//   - It opens as the first P updates, with A <= P <= S: each edge as often as a replay of these P
//     has it, in the out-lists and, transposed, in the in-lists.
//   - Opening it to read writes nothing, and opening it to write gives the same P.
//   - Nothing lies about that the store does not know.
//   - The rest goes in, and the end is that of a store that nothing happened to.
#pragma once

#include <cstdint>
#include <string>

#include "tests/crash/sim_disk.h"
#include "tests/crash/subject.h"

namespace outcore::evolving {

struct CrashPoint {
  std::uint64_t seed = 0;
  std::uint64_t operation = 1;
  SimDisk::Fault fault = SimDisk::Fault::power_cut;
};

// The operations of the life of a seed if nothing happens.
std::uint64_t operations_of_life(const Subject& subject, std::uint64_t seed);

// What was wrong; empty if nothing.
std::string try_point(const Subject& subject, const CrashPoint& point);

}  // namespace outcore::evolving
