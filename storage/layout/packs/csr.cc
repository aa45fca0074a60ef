// SPDX-License-Identifier: Apache-2.0
// One list after the other without gaps, as in a CSR file. It needs the fewest blocks, but a block
// border may cut any list, so reading a short one can take two blocks.
#include "storage/layout/parts.h"

namespace outcore {

Packing pack_csr(std::vector<std::uint64_t> lengths, PackBlock block, const Parameters& /*none*/,
                 const SlotsAt& slots_at) {
  const std::uint32_t slots_per_block = block.slots;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::uint64_t length = lengths[i];
    if (slots_at && length > 0) {
      length = slots_at(i, static_cast<std::uint32_t>(next % slots_per_block));
      if (length == 0) {  // the rest of the block cannot hold its first edge
        next = (next / slots_per_block + 1) * slots_per_block;
        length = slots_at(i, 0);
      }
    }
    lengths[i] = next;
    next += length;
  }
  return {.positions = std::move(lengths),
          .blocks = (next + slots_per_block - 1) / slots_per_block};
}

}  // namespace outcore
