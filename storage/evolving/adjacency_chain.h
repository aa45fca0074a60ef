// SPDX-License-Identifier: Apache-2.0
// The lists on the medium: a chain of blocks for each vertex, the newest first (section III-B).
//
//   block   previous u32   the block before it in the chain, 0 where it is the oldest
//           count u32      of its entries
//           entries u32[]  in the order of arrival
//           after u64      only in persistent memory: how many updates were flushed before these
//
// Blocks have 16, 32, 64, 128 or 256 bytes, aligned to their size, so that a full buffer of 256
// bytes (62 entries) is one write of one XPLine. Longer ones, which compaction makes, have
// multiples of 256. The link leads from new to old: a block is written once and never again. (The
// published code links old to new, which writes the block before each new one a second time.) In
// persistent memory a full block has 60 entries.
//
// `after` tells recovery which updates a chain has. A flush of all puts every update in a chain; so
// what a chain got since then are the first updates of its vertex after that flush, as many as its
// blocks with that number have (entries_after()).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "storage/evolving/bulks.h"
#include "storage/evolving/counters.h"
#include "storage/evolving/log_edge.h"
#include "storage/evolving/medium.h"
#include "storage/evolving/placement.h"

namespace outcore::evolving {

class AdjacencyChain {
 public:
  using Place = std::uint32_t;  // in units of 16 bytes; 0 is none
  static constexpr std::uint64_t kUnit = 16;
  static constexpr std::uint64_t kMostBytes = kUnit << 32;
  struct Block {
    Place previous;
    std::uint32_t count;
    [[nodiscard]] const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
    [[nodiscard]] Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  };
  static_assert(sizeof(Block) == 8);

  // How blocks end: with nothing, or in persistent memory with `after`.
  enum class Form : std::uint8_t { plain, numbered };
  // Of a block, beside its entries.
  static constexpr std::uint32_t own_bytes(Form form) {
    return sizeof(Block) + (form == Form::numbered ? sizeof(std::uint64_t) : 0);
  }

  // `medium` may be null. Places on it are those of the chain, `first_place` on.
  AdjacencyChain(const Placement& placement, std::unique_ptr<Bulks> bulks, Form form,
                 Medium* medium, bool clwb, std::uint64_t first_place);

  // What blocks are numbered with from now on.
  void number(std::uint64_t after) { after_ = after; }
  // The entries of the newest blocks, as far as they have this number, or are more than `enough`.
  // REQUIRES: blocks are numbered.
  [[nodiscard]] std::uint64_t entries_after(Place newest, std::uint64_t after,
                                            std::uint64_t enough) const;

  // Each by one thread at a time for each lane.
  // A block with these entries, before `previous` in its chain.
  Place append(unsigned lane, Place previous, std::span<const Entry> entries);
  // A block for `count` entries, which are set one by one.
  Place make(unsigned lane, Place previous, std::uint32_t count);
  // The same as GraphOne does it: the medium is told of the new block's header, and of a link in
  // the block before it, since GraphOne's chains lead from old to new.
  Place link_and_make(unsigned lane, Place previous, std::uint32_t count);
  void set(unsigned lane, Place block, std::uint32_t index, Entry entry);

  [[nodiscard]] const Block& block(Place place) const {
    return *reinterpret_cast<const Block*>(base_ + std::uint64_t{place} * kUnit);
  }
  // Calls f with the entries of each block, the newest first.
  template <typename F>
  void for_each_block(Place newest, F&& f) const {
    for (Place at = newest; at != 0; at = block(at).previous)
      f(std::span<const Entry>(block(at).entries(), block(at).count));
  }
  // The same, and the medium is told of it.
  template <typename F>
  void read(Place newest, F&& f) const {
    read_while(newest, [&](std::span<const Entry> entries) {
      f(entries);
      return true;
    });
  }
  // The same, as long as f returns true. The next block is on its way meanwhile.
  template <typename F>
  void read_while(Place newest, F&& f) const {
    for (Place at = newest; at != 0; at = block(at).previous) {
      if (block(at).previous != 0) prefetch(block(at).previous);
      const std::span<const Entry> entries(block(at).entries(), block(at).count);
      if (medium_ != nullptr) medium_->read(place_of(at), sizeof(Block) + entries.size_bytes());
      if (!f(entries)) return;
    }
  }

  // As much of a block as a full buffer fills.
  [[gnu::always_inline]] void prefetch(Place place) const {
    for (std::uint32_t byte = 0; byte < kLine; byte += 64)
      __builtin_prefetch(base_ + std::uint64_t{place} * kUnit + byte);
  }

  [[nodiscard]] std::uint64_t taken_bytes() const { return bulks_->taken_bytes(); }
  [[nodiscard]] std::uint64_t taken_bytes(unsigned node) const { return bulks_->taken_bytes(node); }
  [[nodiscard]] std::uint64_t dram_bytes() const { return bulks_->is_dram() ? taken_bytes() : 0; }
  [[nodiscard]] WorkCounters counters() const;

 private:
  static constexpr std::uint32_t kLine = 256;
  static constexpr Place kPage = 4096 / kUnit;
  struct alignas(64) Local {
    std::array<Place, 9> next = {};  // each size, by its logarithm, is cut from pages of its own
    Place long_next = 0;             // in pages for blocks of more than a line
    Place long_end = 0;
    Place next_page = 0;  // in the lane's bulk
    Place end = 0;
    WorkCounters counters;
  };

  Place allocate(unsigned lane, std::uint64_t bytes);
  Place take_pages(unsigned lane, Place pages);
  [[nodiscard]] Block& mutable_block(Place place) {
    return *reinterpret_cast<Block*>(base_ + std::uint64_t{place} * kUnit);
  }
  [[nodiscard]] std::uint64_t place_of(Place place) const {
    return first_place_ + std::uint64_t{place} * kUnit;
  }
  void told_whole_block(Place place, std::uint64_t bytes) const;
  [[nodiscard]] static std::uint64_t number_of(const Block& block) {
    std::uint64_t after = 0;
    std::memcpy(&after, block.entries() + block.count, sizeof after);
    return after;
  }

  const Placement placement_;
  const std::unique_ptr<Bulks> bulks_;
  std::byte* const base_;
  const Form form_;
  std::uint64_t after_ = 0;
  Medium* medium_;
  bool clwb_;
  std::uint64_t first_place_;
  std::vector<Local> locals_;
};

}  // namespace outcore::evolving
