// SPDX-License-Identifier: Apache-2.0
// A block as the worklist sees it: state, priority, active vertices, data (ACGraph, section 4.5,
// Fig. 6), in one line of 64 bytes. That is: data pointer 8 (its lowest bit is the lock), priority
// 4, active vertices 2, state and mode 1, and 44 for the adaptive frontier set. (The paper has 45
// at an odd address, and also the smallest id, which here the Assignment knows. Ours also has a
// byte that counts reuses, and the last four bytes count the edges for which a block is wanted.)
//
// The set holds *members*, the vertices of a block numbered from 0: up to 11 as a list, more as a
// bitmap. 352 bits are enough if lists of up to two edges are in the index, because 341 longer
// lists fill 4 KB. Other layouts have blocks with more members; then BlockTable keeps the bitmaps
// beside the lines.
//
// Threads: everything but the lock bit is read and written under the lock. lock() acquires and
// unlock() releases, so the thread that takes the members sees what was written before each was
// added.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "common/executor.h"
#include "common/spin_pause.h"
#include "common/zero_pages.h"
#include "engines/program.h"

namespace outcore {

// Fig. 4, and `coming`. All but the first two have active vertices.
enum class BlockState : std::uint8_t {
  inactive,     // its data may still be in memory
  coming,       // inactive, but its data is being read ahead
  uncached,     // waits in the uncached queue
  cached,       // waits in the cached queue, or is on its way there from the disk
  processing,   // its members were taken
  reactivated,  // and there are new ones
};

struct alignas(64) Block {
  static constexpr std::size_t kListed = 11;  // members, as a list
  static constexpr std::size_t kBits = kListed * 32;

  std::atomic<std::uintptr_t> frame{0};
  Priority priority = kQuiet;  // the soonest of its active vertices
  std::uint16_t active = 0;
  BlockState state : 4 = BlockState::inactive;
  bool is_bitmap : 1 = false;
  bool ahead : 1 = false;  // its data was read ahead, and has not been used
  std::uint8_t uses = 0;   // of its data since that came; no more than 255 are counted
  std::uint32_t set[kListed] = {};
  std::uint32_t edges = 0;  // of its active vertices, for each disk block; where blocks go by that

  void lock() {
    while ((frame.fetch_or(kLocked, std::memory_order_acquire) & kLocked) != 0) {
      // Relaxed: only whether to try again.
      while ((frame.load(std::memory_order_relaxed) & kLocked) != 0) spin_pause();
    }
  }
  void unlock() { frame.fetch_and(~kLocked, std::memory_order_release); }

  // The frame with its data; nullptr while it has none. Relaxed: under the lock.
  [[nodiscard]] std::byte* data() const {
    // The paper's: a pointer with the lock in its lowest bit has to be a number.
    return reinterpret_cast<std::byte*>(  // NOLINT(performance-no-int-to-ptr)
        frame.load(std::memory_order_relaxed) & ~kLocked);
  }
  void set_data(std::byte* data) {
    frame.store(reinterpret_cast<std::uintptr_t>(data) | kLocked, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uintptr_t kLocked = 1;  // frames are aligned, so the bit is free
};
static_assert(sizeof(Block) == 64);

class BlockTable {
 public:
  // `most_members`: the largest number in any block; each has up to members_in(b). All workers
  // write the lines first, because from the first activation on they are accessed at random.
  template <typename MembersIn>
  BlockTable(std::size_t blocks, std::size_t most_members, const MembersIn& members_in,
             Executor& executor)
      : size_(blocks),
        lines_(blocks),
        bitmap_begins_(begins_of_bitmaps(blocks, most_members, members_in)),
        bitmaps_(bitmap_words()) {
    constexpr std::size_t kGrain = 4096;
    executor.parallel_for(0, blocks, kGrain, [&](unsigned, std::size_t first, std::size_t last) {
      for (std::size_t b = first; b < last; ++b) new (&lines_[b]) Block;
    });
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Block& operator[](std::size_t b) {
    return *std::launder(reinterpret_cast<Block*>(&lines_[b]));
  }
  [[nodiscard]] const Block& operator[](std::size_t b) const {
    return *std::launder(reinterpret_cast<const Block*>(&lines_[b]));
  }

  // All under the block's lock. False if the member was active already.
  bool add(std::size_t b, std::uint32_t member) {
    Block& block = (*this)[b];
    if (!block.is_bitmap) {
      const auto listed = std::span(block.set).first(block.active);
      if (std::find(listed.begin(), listed.end(), member) != listed.end()) return false;
      if (block.active < Block::kListed) {
        block.set[block.active++] = member;
        return true;
      }
      to_bitmap(b);
    }
    std::uint32_t& word = bitmap(b)[member / 32];
    const std::uint32_t bit = std::uint32_t{1} << (member % 32);
    if ((word & bit) != 0) return false;
    word |= bit;
    ++block.active;
    return true;
  }
  [[nodiscard]] bool contains(std::size_t b, std::uint32_t member) {
    const Block& block = (*this)[b];
    if (block.is_bitmap) return (bitmap(b)[member / 32] >> (member % 32) & 1) != 0;
    const auto listed = std::span(block.set).first(block.active);
    return std::find(listed.begin(), listed.end(), member) != listed.end();
  }
  // Empties the set into `members`, which keeps what it holds.
  void take(std::size_t b, std::vector<std::uint32_t>& members) {
    Block& block = (*this)[b];
    if (block.is_bitmap) {
      const std::span<std::uint32_t> words = bitmap(b);
      for (std::uint32_t w = 0; w < words.size(); ++w) {
        for (std::uint32_t word = std::exchange(words[w], 0); word != 0; word &= word - 1) {
          members.push_back(w * 32 + static_cast<std::uint32_t>(std::countr_zero(word)));
        }
      }
    } else {
      members.insert(members.end(), block.set, block.set + block.active);
    }
    block.active = 0;
    block.is_bitmap = false;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return size_ * sizeof(Block) + bitmap_begins_.size() * sizeof(std::uint64_t) +
           bitmap_words() * sizeof(std::uint32_t);
  }

 private:
  // A few blocks may have many times as many members as most (of two or three edges each, coded),
  // so each has the room that it needs.
  template <typename MembersIn>
  static std::vector<std::uint64_t> begins_of_bitmaps(std::size_t blocks, std::size_t most_members,
                                                      const MembersIn& members_in) {
    if (most_members <= Block::kBits) return {};
    std::vector<std::uint64_t> begins(blocks + 1, 0);
    for (std::size_t b = 0; b < blocks; ++b) begins[b + 1] = begins[b] + (members_in(b) + 31) / 32;
    return begins;
  }
  [[nodiscard]] std::size_t bitmap_words() const {
    return bitmap_begins_.empty() ? 0 : bitmap_begins_.back();
  }
  [[nodiscard]] std::span<std::uint32_t> bitmap(std::size_t b) {
    if (bitmap_begins_.empty()) return (*this)[b].set;
    return {&bitmaps_[bitmap_begins_[b]], bitmap_begins_[b + 1] - bitmap_begins_[b]};
  }
  void to_bitmap(std::size_t b) {
    Block& block = (*this)[b];
    std::uint32_t listed[Block::kListed];
    std::copy_n(block.set, Block::kListed, listed);
    std::fill_n(block.set, Block::kListed, 0);
    block.is_bitmap = true;
    for (const std::uint32_t m : listed) bitmap(b)[m / 32] |= std::uint32_t{1} << (m % 32);
  }

  struct alignas(Block) Line {
    std::byte bytes[sizeof(Block)];
  };
  std::size_t size_;
  ZeroPages<Line> lines_;
  std::vector<std::uint64_t> bitmap_begins_;  // words before each; empty: bitmaps are in the lines
  ZeroPages<std::uint32_t> bitmaps_;
};

}  // namespace outcore
