// SPDX-License-Identifier: Apache-2.0
// One list after the other without a gap, as in a CSR file: the fewest blocks, but a block border
// may cut any list, so that reading a short one can take two blocks.
#include "storage/layout/parts.h"

namespace outcore {

Packing pack_csr(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                 const PackParameters& /*none*/) {
  Packing packing;
  packing.positions.reserve(lengths.size());
  std::uint64_t next = 0;
  for (const std::uint64_t length : lengths) {
    packing.positions.push_back(next);
    next += length;
  }
  packing.blocks = (next + slots_per_block - 1) / slots_per_block;
  return packing;
}

}  // namespace outcore
