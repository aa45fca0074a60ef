// SPDX-License-Identifier: Apache-2.0
// ChunkGraph, sections 3.2 and 3.3: lists go to chunks by their length, short ones to small chunks
// and long ones to large chunks, and a list never lies in two chunks.
//
// One row of blocks holds the levels as consecutive regions, each of chunks of one size, and then
// the region of *super* lists, which are longer than any level takes. A region starts at a multiple
// of the larger one of its chunk and the block; a super list starts with a block. So the row is an
// ordinary one in which lists straddle blocks, and who wants chunks finds them by the table of
// levels. Levels that have no list have no chunk.
//
// Levels. Chunks of `smallest` bytes, and of `factor` times as much from level to level. The
// longest list that level l takes, in neighbours of 4 bytes, is
//   - what the paper prints for chunks of 4 KB, 32 KB, 256 KB, 2 MB: 1021, 7168, 58365, 465920;
//   - by its formula, chunk / 4 - (that of the level below + 1) with 2 below level 0, where chunks
//     are others or `formula` is 1. For the paper's chunks that gives 1021, 7170, 58365, 465922:
//     two of the printed numbers do not follow from the formula, and 58365 follows from 7170;
//   - d0 to d3, where they are not 0.
// Lists are measured as they are encoded: level 0 takes those of up to 1021 * 4 bytes.
//
// Order. Lists are placed in the order in which they come, each to its level's open chunk; when one
// does not fit there, the chunk is closed and a new one opened. `tail` is the paper's combination
// of a reordered list Q with a rest P: the last `tail` percent of each level's lists are its tail,
// and before a chunk is closed, the longest lists of the tail that fit fill what is left of it
// (equally long ones in their order). That each level is filled from its own lists is what the
// paper's Tables 4 and 5 show: with and without combination a level holds the same bytes of lists,
// 32.08, 5.43, 5.03 (5.02) and 3.34 GB. It takes 5% of all vertices as P; counted so, graphs whose
// last 5% have no list would fill nothing. Of P it takes "small vertices", without saying which.
// What the tail still holds when its turn comes is placed like any other list.
//
// Whitespace. With `interleave` the free slots of chunk c of a level lie before its list number c
// modulo (lists + 1), not behind the last one in every chunk: otherwise they fall in the same sets
// of a cache. Encoded lists would change their length with their place in a block; where chunks are
// larger than blocks, only whole blocks of free slots go before a list of those.
//
// Memory: 16 bytes a list of the tail; positions take the place of lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

struct LevelSize {
  std::uint64_t chunk_bytes = 0;
  std::uint64_t longest_bytes = 0;  // of a list that the level takes
  friend bool operator==(const LevelSize&, const LevelSize&) = default;
};

// Throws usage errors for levels that make no sense: thresholds that do not ascend, or that a chunk
// cannot hold.
std::vector<LevelSize> chunk_levels(const Parameters& parameters);

}  // namespace outcore
