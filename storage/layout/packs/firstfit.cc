// SPDX-License-Identifier: Apache-2.0
// CAVE, section 4.1 "Bin-Packing Edges": a list goes into the first block with room for all of it,
// so any list shorter than a block is read with one request. A list longer than a block starts at
// slot 0 of new consecutive blocks ("the first block always has an eb_offset = 0"). The paper does
// not say what happens to the rest of such a list's last block; here shorter lists may fill it.
#include <algorithm>
#include <numeric>
#include <utility>

#include "storage/layout/parts.h"
#include "storage/layout/segment_tree.h"

namespace outcore {

Packing pack_firstfit(std::vector<std::uint64_t> lengths, PackBlock block,
                      const Parameters& /*none*/, const SlotsAt& /*unused*/) {
  const std::uint32_t slots_per_block = block.slots;
  // First fit leaves no two blocks whose contents would fit into one, and a long list fills more
  // than half of its blocks. So it needs at most twice the least number of blocks, plus one.
  const std::uint64_t slots = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  SegmentTree blocks(2 * (slots / slots_per_block + 1) + 1, slots_per_block);
  Packing packing;
  for (std::uint64_t& list : lengths) {
    const std::uint64_t length = std::exchange(list, 0);
    BlockId first = 0;
    std::uint32_t slot = 0;
    if (length == 0) continue;
    if (length <= slots_per_block) {
      first = blocks.first_with(static_cast<std::uint32_t>(length));
      slot = slots_per_block - blocks.free(first);
      blocks.take(first, static_cast<std::uint32_t>(length));
      packing.blocks = std::max(packing.blocks, first + 1);
    } else {
      first = packing.blocks;
      for (std::uint64_t left = length; left > 0;) {
        const auto piece =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(left, slots_per_block));
        blocks.take(packing.blocks++, piece);
        left -= piece;
      }
    }
    list = first * slots_per_block + slot;
  }
  packing.positions = std::move(lengths);
  return packing;
}

}  // namespace outcore
