// SPDX-License-Identifier: Apache-2.0
// ACGraph, section 5.1: locality-preserving last fit. Only the last `window` blocks that were begun
// are candidates for a list; it goes to the last of them that has room, and to a new block when
// none has. The window trades neighbourhood (small) against free slots (large); 8 is the paper's.
// As with firstfit, a list longer than a block starts at slot 0 of new consecutive blocks, and
// shorter ones may fill the rest of its last block.
//
// The paper gives two ways to find the block: going through the window, quick for small ones, and a
// segment tree; they place every list alike (a test compares them), and kScannedWindow is where one
// takes over from the other. Its parallel form gives each thread a part of the vertices: here
// `ranges` of equally many lists, each packed into blocks of its own, so that the result depends on
// that number and never on threads or timing.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

inline constexpr std::uint64_t kScannedWindow = 64;

// One range of lists, from block 0, each in one of the two ways.
Packing lplf_by_scan(std::vector<std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window);
Packing lplf_by_tree(std::vector<std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window);

}  // namespace outcore
