// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/packs/lplf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/layout/segment_tree.h"

namespace outcore {

namespace {

// Both windows keep the free slots of the last `size` blocks in a ring; a new block replaces the
// oldest. They identify blocks by their place in the ring.

class ScannedWindow {
 public:
  explicit ScannedWindow(std::uint64_t size) : free_(size, 0) {}

  // The newest block with at least `need` free slots.
  [[nodiscard]] std::optional<std::size_t> last_with(std::uint32_t need) const {
    for (std::size_t i = newest_ + 1; i-- > 0;) {
      if (free_[i] >= need) return i;
    }
    for (std::size_t i = free_.size(); --i > newest_;) {
      if (free_[i] >= need) return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::uint32_t free(std::size_t place) const { return free_[place]; }
  void take(std::size_t place, std::uint32_t slots) { free_[place] -= slots; }
  void begin_block(std::size_t place, std::uint32_t free) {
    newest_ = place;
    free_[place] = free;
  }

 private:
  std::vector<std::uint32_t> free_;
  std::size_t newest_ = 0;
};

class TreeWindow {
 public:
  explicit TreeWindow(std::uint64_t size) : tree_(size, 0), size_(size) {}

  [[nodiscard]] std::optional<std::size_t> last_with(std::uint32_t need) const {
    const auto found = tree_.last_with(newest_, need);
    return found ? found : tree_.last_with(size_ - 1, need);
  }
  [[nodiscard]] std::uint32_t free(std::size_t place) const { return tree_.free(place); }
  void take(std::size_t place, std::uint32_t slots) { tree_.take(place, slots); }
  void begin_block(std::size_t place, std::uint32_t free) {
    newest_ = place;
    tree_.set(place, free);
  }

 private:
  SegmentTree tree_;
  std::uint64_t size_;
  std::size_t newest_ = 0;
};

// Turns lengths into positions, from block 0; returns the number of blocks.
template <typename Window>
std::uint64_t last_fit(std::span<std::uint64_t> lengths, std::uint32_t slots_per_block,
                       std::uint64_t window_size) {
  Window window(window_size);
  std::vector<BlockId> blocks(window_size);  // by place in the ring
  std::uint64_t begun = 0;
  for (std::uint64_t& list : lengths) {
    const std::uint64_t length = std::exchange(list, 0);
    if (length == 0) continue;
    if (length <= slots_per_block) {
      const auto need = static_cast<std::uint32_t>(length);
      if (const auto place = window.last_with(need)) {
        list = (blocks[*place] + 1) * slots_per_block - window.free(*place);
        window.take(*place, need);
        continue;
      }
    }
    list = begun * slots_per_block;
    for (std::uint64_t left = length; left > 0;) {
      const std::uint64_t piece = std::min<std::uint64_t>(left, slots_per_block);
      const std::size_t place = begun % window_size;
      blocks[place] = begun++;
      window.begin_block(place, static_cast<std::uint32_t>(slots_per_block - piece));
      left -= piece;
    }
  }
  return begun;
}

std::uint64_t last_fit_either_way(std::span<std::uint64_t> lengths, std::uint32_t slots_per_block,
                                  std::uint64_t window) {
  return window <= kScannedWindow ? last_fit<ScannedWindow>(lengths, slots_per_block, window)
                                  : last_fit<TreeWindow>(lengths, slots_per_block, window);
}

}  // namespace

Packing lplf_by_scan(std::vector<std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window) {
  const std::uint64_t blocks = last_fit<ScannedWindow>(lengths, slots_per_block, window);
  return {.positions = std::move(lengths), .blocks = blocks};
}

Packing lplf_by_tree(std::vector<std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window) {
  const std::uint64_t blocks = last_fit<TreeWindow>(lengths, slots_per_block, window);
  return {.positions = std::move(lengths), .blocks = blocks};
}

Packing pack_lplf(std::vector<std::uint64_t> lengths, PackBlock block, const Parameters& parameters,
                  const SlotsAt& /*unused*/) {
  const std::uint64_t window = parameters.whole("window");
  const std::size_t ranges = parameters.whole("ranges");
  const auto begin = [&](std::size_t r) { return lengths.size() * r / ranges; };
  const auto range = [&](std::size_t r) {
    return std::span(lengths).subspan(begin(r), begin(r + 1) - begin(r));
  };
  std::vector<std::uint64_t> blocks(ranges);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t r = 0; r < ranges; ++r) {
    blocks[r] = last_fit_either_way(range(r), block.slots, window);
  }
  std::uint64_t before = 0;
  for (std::size_t r = 0; r < ranges; ++r) {
    for (std::uint64_t& position : range(r)) position += before * block.slots;
    before += blocks[r];
  }
  return {.positions = std::move(lengths), .blocks = before};
}

}  // namespace outcore
