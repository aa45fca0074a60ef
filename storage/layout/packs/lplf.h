// SPDX-License-Identifier: Apache-2.0
// ACGraph, section 5.1: locality-preserving last fit. Only the last `window` blocks that were begun
// are candidates for a list. It goes into the last of them that has room, or into a new block if
// none has. A small window keeps neighbours together; a large one leaves fewer slots free. The
// paper's is 8. As with firstfit, a list longer than a block starts at slot 0 of new consecutive
// blocks, and shorter lists may fill the rest of its last block.
//
// The paper gives two ways to find the block: scanning the window, which is fast for small ones,
// and a segment tree. Both place every list in the same way (a test compares them); windows of up
// to kScannedWindow are scanned. The paper's parallel form gives each thread a part of the
// vertices. Here these are `ranges` parts of equally many lists, each packed into its own blocks,
// so the result depends on that number and never on threads or timing.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/layout/parts.h"

namespace outcore {

inline constexpr std::uint64_t kScannedWindow = 64;

// One range of lists, from block 0, in one of the two ways.
Packing lplf_by_scan(std::vector<std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window);
Packing lplf_by_tree(std::vector<std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window);

}  // namespace outcore
