// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/packs/lplf.h"

#include <algorithm>
#include <optional>

#include "storage/layout/segment_tree.h"

namespace outcore {

namespace {

// Both windows keep the free slots of the last `size` blocks in a ring; a new block takes the place
// of the oldest. They name blocks by their place in the ring.

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

template <typename Window>
Packing last_fit(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                 std::uint64_t window_size) {
  Window window(window_size);
  std::vector<BlockId> blocks(window_size);  // that stand in the ring
  Packing packing;
  packing.positions.reserve(lengths.size());
  for (const std::uint64_t length : lengths) {
    if (length == 0) {
      packing.positions.push_back(0);
      continue;
    }
    if (length <= slots_per_block) {
      const auto need = static_cast<std::uint32_t>(length);
      if (const auto place = window.last_with(need)) {
        packing.positions.push_back((blocks[*place] + 1) * slots_per_block - window.free(*place));
        window.take(*place, need);
        continue;
      }
    }
    packing.positions.push_back(packing.blocks * slots_per_block);
    for (std::uint64_t left = length; left > 0;) {
      const std::uint64_t piece = std::min<std::uint64_t>(left, slots_per_block);
      const std::size_t place = packing.blocks % window_size;
      blocks[place] = packing.blocks++;
      window.begin_block(place, static_cast<std::uint32_t>(slots_per_block - piece));
      left -= piece;
    }
  }
  return packing;
}

}  // namespace

Packing lplf_by_scan(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window) {
  return last_fit<ScannedWindow>(lengths, slots_per_block, window);
}

Packing lplf_by_tree(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                     std::uint64_t window) {
  return last_fit<TreeWindow>(lengths, slots_per_block, window);
}

Packing pack_lplf(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                  const PackParameters& parameters) {
  const std::uint64_t window = parameters.at("window");
  const std::size_t ranges = parameters.at("ranges");
  std::vector<Packing> parts(ranges);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t r = 0; r < ranges; ++r) {
    const std::size_t begin = lengths.size() * r / ranges;
    const auto range = lengths.subspan(begin, lengths.size() * (r + 1) / ranges - begin);
    parts[r] = window <= kScannedWindow ? lplf_by_scan(range, slots_per_block, window)
                                        : lplf_by_tree(range, slots_per_block, window);
  }
  Packing whole = std::move(parts.front());
  whole.positions.reserve(lengths.size());
  for (std::size_t r = 1; r < ranges; ++r) {
    const std::uint64_t shift = whole.blocks * slots_per_block;
    for (const std::uint64_t position : parts[r].positions) {
      whole.positions.push_back(position + shift);
    }
    whole.blocks += parts[r].blocks;
    parts[r] = {};
  }
  return whole;
}

}  // namespace outcore
