// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/packs/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>

#include "common/error.h"

namespace outcore {

namespace {

constexpr std::uint64_t kNeighbourBytes = sizeof(VertexId);
constexpr std::uint64_t kMiniDegree = 2;
constexpr std::array<LevelSize, 4> kPrinted = {{{4 << 10, 1021 * kNeighbourBytes},
                                                {32 << 10, 7168 * kNeighbourBytes},
                                                {256 << 10, 58365 * kNeighbourBytes},
                                                {2 << 20, 465920 * kNeighbourBytes}}};

// The vector that lengths and positions share holds for each list either its length, or the mark
// that it is placed, its level, and its position within the level.
constexpr std::uint64_t kPlaced = std::uint64_t{1} << 63;
constexpr unsigned kLevelShift = 56;
constexpr std::uint64_t kPositionMask = (std::uint64_t{1} << kLevelShift) - 1;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// The lists of one level's tail that are not placed yet, by length.
class Tail {
 public:
  void add(std::uint64_t length, VertexId list) {
    entries_.push_back({static_cast<std::uint32_t>(length), list});
  }
  // Call it after the last add().
  void sort() {
    std::sort(entries_.begin(), entries_.end(), before);
    left_.resize(entries_.size() + 1);
    std::iota(left_.begin(), left_.end(), 0U);
  }
  // REQUIRES: `list` is in the tail and has this length.
  void remove(std::uint64_t length, VertexId list) {
    const Entry entry = {static_cast<std::uint32_t>(length), list};
    const auto at = std::lower_bound(entries_.begin(), entries_.end(), entry, before);
    const auto number = static_cast<std::uint32_t>(at - entries_.begin()) + 1;
    left_[number] = number - 1;
  }
  // The longest list of at most `room` slots; among equally long ones the first.
  std::optional<VertexId> longest(std::uint64_t room) {
    const auto above = std::upper_bound(
        entries_.begin(), entries_.end(), room,
        [](std::uint64_t most, const Entry& entry) { return most < entry.length; });
    const std::uint32_t number = highest(static_cast<std::uint32_t>(above - entries_.begin()));
    if (number == 0) return std::nullopt;
    return entries_[number - 1].list;
  }

 private:
  struct Entry {
    std::uint32_t length;
    VertexId list;
  };
  static bool before(const Entry& a, const Entry& b) {
    return a.length != b.length ? a.length < b.length : a.list > b.list;
  }
  // The highest remaining entry up to `number` (counted from 1); 0 if there is none. Halves the
  // path for later searches.
  std::uint32_t highest(std::uint32_t number) {
    while (left_[number] != number) {
      left_[number] = left_[left_[number]];
      number = left_[number];
    }
    return number;
  }

  std::vector<Entry> entries_;
  // By number: itself if it remains, otherwise a lower number towards the next remaining one.
  std::vector<std::uint32_t> left_ = {0};
};

struct LevelOfChunks {
  std::uint64_t chunk_slots = 0;
  std::uint64_t longest = 0;
  std::uint64_t closed = 0;        // number of closed chunks
  VertexId tail_from = kNoVertex;  // first list of the tail
  Tail tail = {};
  struct Member {
    VertexId list;
    std::uint32_t offset;  // in slots, within the chunk
  };
  std::vector<Member> open = {};  // of the open chunk
  std::uint64_t used = 0;         // slots used in it
};

class ChunkPacker {
 public:
  ChunkPacker(std::vector<std::uint64_t> lengths, PackBlock block, const Parameters& parameters,
              const SlotsAt& slots_at)
      : block_(block),
        slots_at_(slots_at),
        tail_percent_(parameters.whole("tail")),
        interleave_(parameters.whole("interleave") != 0),
        sizes_(chunk_levels(parameters)),
        lists_(std::move(lengths)) {
    for (const LevelSize& size : sizes_) {
      levels_.push_back({.chunk_slots = size.chunk_bytes / block.slot_bytes,
                         .longest = size.longest_bytes / block.slot_bytes});
    }
  }

  Packing run() {
    if (slots_at_) measure();
    if (tail_percent_ > 0) collect_tails();
    for (VertexId list = 0; list < lists_.size(); ++list) {
      const std::uint64_t length = lists_[list];
      if (length == 0 || (length & kPlaced) != 0) continue;  // it filled a chunk
      const std::size_t level = level_of(length);
      if (level == levels_.size()) {
        set(list, level, super_blocks_ * block_.slots);
        super_blocks_ += (length + block_.slots - 1) / block_.slots;
        continue;
      }
      if (list >= levels_[level].tail_from) levels_[level].tail.remove(length, list);
      if (!add(levels_[level], list)) {
        close(level);
        add(levels_[level], list);
      }
    }
    for (std::size_t level = 0; level < levels_.size(); ++level) close(level);
    return join();
  }

 private:
  // Measures the lists of encoded layouts, each as if it began at a block.
  void measure() {
    for (VertexId list = 0; list < lists_.size(); ++list) {
      if (lists_[list] > 0) lists_[list] = slots_at_(list, 0);
    }
  }

  // levels_.size() means super.
  [[nodiscard]] std::size_t level_of(std::uint64_t length) const {
    std::size_t level = 0;
    while (level < levels_.size() && length > levels_[level].longest) ++level;
    return level;
  }

  void collect_tails() {
    std::vector<std::uint64_t> left(levels_.size() + 1);  // lists of each level from here on
    for (const std::uint64_t length : lists_) {
      if (length > 0) ++left[level_of(length)];
    }
    std::vector<std::uint64_t> tail;
    for (const std::uint64_t lists : left) tail.push_back(lists * tail_percent_ / 100);
    for (VertexId list = 0; list < lists_.size(); ++list) {
      if (lists_[list] == 0) continue;
      const std::size_t l = level_of(lists_[list]);
      if (l == levels_.size() || left[l]-- > tail[l]) continue;
      levels_[l].tail_from = std::min(levels_[l].tail_from, list);
      levels_[l].tail.add(lists_[list], list);
    }
    for (LevelOfChunks& level : levels_) level.tail.sort();
  }

  void set(VertexId list, std::size_t level, std::uint64_t position) {
    lists_[list] = kPlaced | std::uint64_t{level} << kLevelShift | position;
  }

  // Puts the list into the level's open chunk if it fits.
  bool add(LevelOfChunks& level, VertexId list) {
    std::uint64_t at = level.used;
    std::uint64_t length = lists_[list];
    // Only an encoded list that does not fit the rest of its block has a different length there.
    if (slots_at_ && at % block_.slots + length > block_.slots && at % block_.slots != 0) {
      length = slots_at_(list, static_cast<std::uint32_t>(at % block_.slots));
      if (length == 0) {
        at = round_up(at, block_.slots);
        length = lists_[list];
      }
    }
    if (at + length > level.chunk_slots) return false;
    level.open.push_back({list, static_cast<std::uint32_t>(at)});
    level.used = at + length;
    return true;
  }

  void close(std::size_t l) {
    LevelOfChunks& level = levels_[l];
    if (level.open.empty()) return;
    fill(level);
    std::uint64_t free = level.chunk_slots - level.used;
    if (slots_at_ && level.chunk_slots > block_.slots) free -= free % block_.slots;
    const std::size_t gap =
        interleave_ ? level.closed % (level.open.size() + 1) : level.open.size();
    for (std::size_t i = 0; i < level.open.size(); ++i) {
      const auto& [list, offset] = level.open[i];
      set(list, l, level.closed * level.chunk_slots + offset + (i < gap ? 0 : free));
    }
    ++level.closed;
    level.open.clear();
    level.used = 0;
  }

  void fill(LevelOfChunks& level) {
    std::uint64_t room = level.chunk_slots - level.used;
    while (const auto filler = level.tail.longest(room)) {
      const std::uint64_t length = lists_[*filler];
      if (add(level, *filler)) {
        level.tail.remove(length, *filler);
        room = level.chunk_slots - level.used;
      } else {
        room = length - 1;
      }
    }
  }

  // Puts the regions one after the other.
  Packing join() {
    Packing packing;
    BlockId next = 0;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const std::uint64_t bytes = sizes_[l].chunk_bytes;
      const std::uint64_t block_bytes = block_.slots * block_.slot_bytes;
      if (levels_[l].closed > 0) next = round_up(next * block_bytes, bytes) / block_bytes;
      const BlockId first = next;
      next += round_up(levels_[l].closed * bytes, block_bytes) / block_bytes;
      packing.levels.push_back({bytes, first, next});
    }
    packing.levels.push_back({0, next, next + super_blocks_});
    packing.blocks = next + super_blocks_;
    for (std::uint64_t& list : lists_) {
      if (list == 0) continue;
      const std::uint64_t level = (list & ~kPlaced) >> kLevelShift;
      list = packing.levels[level].first_block * block_.slots + (list & kPositionMask);
    }
    packing.positions = std::move(lists_);
    return packing;
  }

  PackBlock block_;
  const SlotsAt& slots_at_;
  std::uint64_t tail_percent_;
  bool interleave_;
  std::vector<LevelSize> sizes_;
  std::vector<LevelOfChunks> levels_;
  std::uint64_t super_blocks_ = 0;
  std::vector<std::uint64_t> lists_;  // lengths, or places marked with kPlaced
};

}  // namespace

std::vector<LevelSize> chunk_levels(const Parameters& parameters) {
  std::vector<LevelSize> levels;
  std::uint64_t bytes = parameters.whole("smallest");
  const std::uint64_t factor = parameters.whole("factor");
  if (!std::has_single_bit(bytes) || !std::has_single_bit(factor)) {
    throw usage_error(
        fmt::format("--pack chunks:smallest={},factor={}: expected powers of two", bytes, factor));
  }
  std::uint64_t below = kMiniDegree;
  for (std::uint64_t l = 0; l < parameters.whole("levels"); ++l, bytes *= factor) {
    const std::uint64_t most = bytes / kNeighbourBytes;
    const std::uint64_t least = l == 0 ? 1 : levels.back().longest_bytes / kNeighbourBytes + 1;
    std::uint64_t longest = most - (below + 1);
    below = longest;
    if (parameters.whole("formula") == 0 && bytes == kPrinted[l].chunk_bytes) {
      longest = kPrinted[l].longest_bytes / kNeighbourBytes;
    }
    const std::uint64_t given = parameters.whole(fmt::format("d{}", l));
    if (given != 0) longest = below = given;
    if (longest < least || longest > most) {
      throw usage_error(
          fmt::format("--pack chunks: {} neighbours as the longest list of level {}, expected {} "
                      "to {}, what a chunk of {} bytes holds",
                      longest, l, least, most, bytes));
    }
    levels.push_back({bytes, longest * kNeighbourBytes});
  }
  return levels;
}

Packing pack_chunks(std::vector<std::uint64_t> lengths, PackBlock block,
                    const Parameters& parameters, const SlotsAt& slots_at) {
  return ChunkPacker(std::move(lengths), block, parameters, slots_at).run();
}

}  // namespace outcore
