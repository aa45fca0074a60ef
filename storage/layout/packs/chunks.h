// SPDX-License-Identifier: Apache-2.0
// ChunkGraph, sections 3.2 and 3.3: lists go into chunks by their length, short ones into small and
// long ones into large chunks, and a list never lies in two chunks.
//
// One row of blocks holds the levels as consecutive regions, each with chunks of one size, and then
// the region of *super* lists, which are longer than any level takes. A region starts at a multiple
// of both its chunk and the block; a super list starts at a block. So the row is an ordinary one in
// which lists straddle blocks, and a reader that wants chunks finds them in the table of levels.
// Levels without lists have no chunk.
//
// Levels. Chunks have `smallest` bytes on level 0, and `factor` times as much on each next level.
// The longest list that level l takes, in neighbours of 4 bytes, is
//  - what the paper prints for chunks of 4 KB, 32 KB, 256 KB, 2 MB: 1021, 7168, 58365, 465920;
//  - by its formula, chunk / 4 - (that of the level below + 1) with 2 below level 0, if the chunks
//    have other sizes or `formula` is 1. For the paper's chunks that gives 1021, 7170, 58365,
//    465922: two of the printed numbers do not follow from the formula, and 58365 follows from
//    7170;
//  - d0 to d3, if they are not 0.
// Lists are measured in their encoded size: level 0 takes those of up to 1021 * 4 bytes.
//
// Order. Lists are placed in the given order, each into its level's open chunk. If it does not fit,
// the chunk is closed and a new one opened. `tail` is the paper's combination of a reordered list Q
// with a rest P: the last `tail` percent of each level's lists are its tail. Before a chunk is
// closed, its rest is filled with the longest lists of the tail that fit (equally long ones in
// their order). The paper's Tables 4 and 5 show that each level is filled from its own lists: with
// and without combination a level holds the same bytes of lists, 32.08, 5.43, 5.03 (5.02) and 3.34
// GB. The paper takes 5% of all vertices as P; counted like that, graphs whose last 5% have no list
// would fill nothing. From P it takes "small vertices" without saying which. A list that is still
// in the tail when its turn comes is placed like any other.
//
// Whitespace. With `interleave`, the free slots of chunk c of a level lie before its list number c
// modulo (lists + 1), and not after the last list of every chunk: otherwise free slots would fall
// into the same cache sets. Encoded lists would change their length with their place in a block;
// where chunks are larger than blocks, only whole blocks of free slots go before such a list.
//
// Memory: 16 bytes per list of the tail; positions replace lengths in place.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

struct LevelSize {
  std::uint64_t chunk_bytes = 0;
  std::uint64_t longest_bytes = 0;  // of the lists that the level takes
  friend bool operator==(const LevelSize&, const LevelSize&) = default;
};

// Throws usage errors for impossible levels: thresholds that do not ascend, or that a chunk cannot
// hold.
std::vector<LevelSize> chunk_levels(const Parameters& parameters);

}  // namespace outcore
