// SPDX-License-Identifier: Apache-2.0
// The degree-sorted best fit with which ACGraph compares its packing (section 6, Table 2): lists
// from the longest to the shortest, each into the block where it leaves the fewest slots free, or a
// new block if none has room. Few slots stay free, but neighbouring ids end up far apart. Among
// equally tight blocks, the one that became that tight last is taken. As with firstfit, a list
// longer than a block starts at slot 0 of new consecutive blocks, and shorter lists may fill the
// rest of its last block.
#include <algorithm>
#include <bit>
#include <utility>

#include "storage/layout/by_degree.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace {

// Blocks by their number of free slots, with one bit per number that has a block.
class BlocksByRoom {
 public:
  explicit BlocksByRoom(std::uint32_t slots_per_block)
      : blocks_(slots_per_block + 1), any_(slots_per_block / 64 + 1) {}

  void add(BlockId block, std::uint32_t free) {
    blocks_[free].push_back(block);
    any_[free / 64] |= std::uint64_t{1} << free % 64;
  }
  // The smallest number of free slots of any block, but at least `need`; 0 if there is none.
  [[nodiscard]] std::uint32_t tightest(std::uint32_t need) const {
    std::uint64_t bits = any_[need / 64] & ~std::uint64_t{0} << need % 64;
    for (std::size_t word = need / 64;; bits = any_[word]) {
      if (bits != 0) return static_cast<std::uint32_t>(word * 64 + std::countr_zero(bits));
      if (++word == any_.size()) return 0;
    }
  }
  BlockId remove(std::uint32_t free) {
    const BlockId block = blocks_[free].back();
    blocks_[free].pop_back();
    if (blocks_[free].empty()) any_[free / 64] &= ~(std::uint64_t{1} << free % 64);
    return block;
  }

 private:
  std::vector<std::vector<BlockId>> blocks_;
  std::vector<std::uint64_t> any_;
};

}  // namespace

Packing pack_bestfit(std::vector<std::uint64_t> lengths, PackBlock size, const Parameters& /*none*/,
                     const SlotsAt& /*unused*/) {
  const std::uint32_t slots_per_block = size.slots;
  Packing packing;
  BlocksByRoom rooms(slots_per_block);
  const auto count = static_cast<VertexId>(lengths.size());
  for (const VertexId i : by_descending_degree(count, [&](VertexId l) { return lengths[l]; })) {
    const std::uint64_t length = std::exchange(lengths[i], 0);
    if (length == 0) break;  // all further lists are empty too
    const std::uint32_t free =
        length <= slots_per_block ? rooms.tightest(static_cast<std::uint32_t>(length)) : 0;
    std::uint64_t left = 0;
    if (free > 0) {
      const BlockId block = rooms.remove(free);
      lengths[i] = (block + 1) * slots_per_block - free;
      left = free - length;
      if (left > 0) rooms.add(block, static_cast<std::uint32_t>(left));
      continue;
    }
    lengths[i] = packing.blocks * slots_per_block;
    packing.blocks += (length + slots_per_block - 1) / slots_per_block;
    left = packing.blocks * slots_per_block - lengths[i] - length;
    if (left > 0) rooms.add(packing.blocks - 1, static_cast<std::uint32_t>(left));
  }
  packing.positions = std::move(lengths);
  return packing;
}

}  // namespace outcore
