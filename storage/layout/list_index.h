// SPDX-License-Identifier: Apache-2.0
// The index of one direction of a layout, which stays in memory: where each vertex's list is, how
// long it is, and, for lists of up to `inline` edges, the list itself.
//
// The five forms, and what a vertex costs in each:
//
//   lengths    2.5 bytes (running_positions.h), for lists in the order of ids without gaps, not
//              encoded. No list is in the index.
//   sparse     the same 2.5 bytes, of the vertices that have a list, and 0.2 bytes of each
//              (ranked_ids.h). Only in memory, for runs of a store (storage/evolving/).
//   packed     8 bytes: position and degree in one word. No list is in the index.
//   in-index   ChunkGraph, section 3.1: a packed entry or, for mini vertices, the list in its
//              place, and a bit that says which: 8 bytes for lists of up to 2 edges, 12 bytes for
//              up to 3. (In files a degree of 4 bytes is stored beside it, as in the paper.)
//   mini-data  ACGraph, section 5.2: 4 bytes (ranked_positions.h) and no degree. Ids are ranks by
//              position, so a list ends where the next one begins; if there is a gap, a virtual
//              vertex represents it. Mini vertices have the last ids, by descending degree. Their
//              lists are in one array, at a place that id and degree determine (theta_id).
//
// Ids after the last one with edges have no entry. With number degree, these are all isolated
// vertices: nearly half of the vertices of a Kronecker graph.
//
// Positions count *slots*: 4 bytes with codec raw, 8 with raw and weights, otherwise single bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/ids.h"
#include "storage/layout/ranked_ids.h"
#include "storage/layout/ranked_positions.h"
#include "storage/layout/running_positions.h"

namespace outcore {

// The place of a list that is not in the index.
struct ListAddress {
  std::uint64_t position = 0;  // of its first slot, counted over the whole block file
  std::uint64_t degree = 0;
  // The slots of the list. For an encoded list within one block the number is unknown, and this is
  // 1.
  std::uint64_t slots = 0;
};

// The part of a list that lies in one block: [slot, slot + slots).
struct BlockPart {
  BlockId block = 0;
  std::uint32_t slot = 0;
  std::uint32_t slots = 0;
  std::uint64_t first = 0;  // slots of the list in earlier blocks
};

// A list in the index; weights is null if the layout stores none.
struct InlineList {
  const VertexId* ids = nullptr;
  const float* weights = nullptr;
  std::uint32_t degree = 0;
};

enum class IndexForm : std::uint8_t { lengths, sparse, packed, in_index, mini_data };
std::string to_string(IndexForm form);

// Lists that an entry cannot describe: encoded lists in more than one block, and lists whose degree
// does not fit. By vertex; in form sparse by the rank of the vertex.
struct LongList {
  std::uint64_t degree = 0;
  std::uint64_t slots = 0;
};
using LongLists = std::unordered_map<VertexId, LongList>;

class ListIndex {
 public:
  static constexpr std::uint64_t kPositionBits = 40;  // of a packed entry
  static constexpr std::uint64_t kPositionMask = (std::uint64_t{1} << kPositionBits) - 1;
  static constexpr std::uint64_t kLongDegree = (std::uint64_t{1} << 24) - 1;  // see LongLists
  // In files, form in-index: a long list (see LongLists).
  static constexpr std::uint64_t kFlag = std::uint64_t{1} << 63;
  static constexpr unsigned kMostInline = 3;

  static constexpr std::uint64_t pack(std::uint64_t position, std::uint64_t degree) {
    return position | degree << kPositionBits;
  }
  // Number of 4-byte words of an in-index entry.
  static constexpr unsigned entry_words(unsigned inline_edges) { return inline_edges > 2 ? 3 : 2; }

  // The contents of the files; vectors that a form does not use are empty.
  struct Parts {
    IndexForm form = IndexForm::packed;
    unsigned inline_edges = 0;
    bool encoded = false;
    std::uint32_t slots_per_block = 1024;
    std::vector<std::uint64_t> entries;  // packed: one word per listed id
    RunningPositions running;            // lengths, sparse
    RankedIds ids;                       // sparse: those that have a list
    RankedPositions positions;           // mini-data: of lists in blocks, and the last one's end
    std::vector<std::uint32_t> degrees;  // in-index
    std::vector<std::uint32_t> words;  // in-index: entries of entry_words(), padded with kNoVertex
    std::vector<VertexId> mini;        // mini-data: the lists of mini vertices
    std::vector<VertexId> theta;       // mini-data: theta_id, the first id of each degree
    std::vector<float> weights;        // in-index: inline_edges per vertex; mini-data: as `mini`
    LongLists longs;

    [[nodiscard]] VertexId listed() const {
      if (form == IndexForm::mini_data) return theta.front();
      if (form == IndexForm::sparse) return ids.end();
      return static_cast<VertexId>(running.size() + entries.size() + degrees.size());
    }
  };

  ListIndex() = default;
  explicit ListIndex(Parts parts)
      : parts_(std::move(parts)),
        listed_(parts_.listed()),
        first_mini_(parts_.form == IndexForm::mini_data ? parts_.theta.back() : listed_),
        slot_bits_(std::has_single_bit(parts_.slots_per_block)
                       ? static_cast<unsigned>(std::countr_zero(parts_.slots_per_block))
                       : 0) {
    if (parts_.form == IndexForm::in_index) put_degrees_into_entries();
  }

  // Mini vertices are told apart first, in a few instructions where it is called.
  [[nodiscard]] std::uint64_t degree(VertexId v) const {
    if (v >= first_mini_) return v < listed_ ? mini_degree(v) : 0;
    return degree_by_entry(v);
  }

  // The same of each vertex of a range.
  void degrees(VertexRange range, std::span<std::uint32_t> out) const;

  // Prefetches v's entry, for a caller that will need it soon and not in the order of ids.
  void fetch(VertexId v) const {
    if (v >= listed_) return;
    if (parts_.form == IndexForm::in_index) __builtin_prefetch(words(v));
    if (parts_.form == IndexForm::packed) __builtin_prefetch(&parts_.entries[v]);
  }

  // Is a list of this many edges in the index? A list without edges always is.
  [[nodiscard]] bool is_inline(std::uint64_t degree) const { return degree <= parts_.inline_edges; }
  // REQUIRES: is_inline(degree(v)).
  [[nodiscard]] InlineList inline_list(VertexId v) const {
    if (parts_.inline_edges == 0 || v >= listed_) return {};
    if (parts_.form == IndexForm::mini_data) {
      if (v < first_mini_) return {};  // a virtual id, without edges
      return mini_list(v);
    }
    return {
        words(v),
        parts_.weights.empty() ? nullptr : &parts_.weights[std::uint64_t{v} * parts_.inline_edges],
        ids_in_entry(v)};
  }

  // REQUIRES: the list is not in the index.
  [[nodiscard]] ListAddress address(VertexId v) const {
    std::uint64_t position = 0;
    std::uint64_t degree = 0;
    bool is_long = false;
    VertexId at = v;
    switch (parts_.form) {
      case IndexForm::sparse:
        at = parts_.ids.rank(v);
        [[fallthrough]];
      case IndexForm::lengths:
        position =
            parts_.running.position(at, [&](VertexId u) { return parts_.longs.at(u).degree; });
        degree = parts_.running.entry(at);
        is_long = degree == RunningPositions::kLong;
        break;
      case IndexForm::packed:
      case IndexForm::in_index:
        position = parts_.form == IndexForm::packed ? parts_.entries[v] : entry(v);
        degree = position >> kPositionBits;
        position &= kPositionMask;
        is_long = degree == kLongDegree;
        break;
      case IndexForm::mini_data:
        position = parts_.positions[v];
        degree = parts_.positions.distance(v);
    }
    if (is_long) {
      const LongList& list = parts_.longs.at(at);
      return {position, list.degree, list.slots};
    }
    return {position, degree, parts_.encoded ? std::min<std::uint64_t>(degree, 1) : degree};
  }

  [[nodiscard]] std::uint32_t slots_per_block() const { return parts_.slots_per_block; }
  [[nodiscard]] BlockId first_block(const ListAddress& list) const {
    return block_of(list.position);
  }
  [[nodiscard]] BlockId last_block(const ListAddress& list) const {
    return block_of(list.position + list.slots - 1);
  }
  [[nodiscard]] BlockPart part(const ListAddress& list, BlockId block) const {
    const std::uint64_t block_begin = block * parts_.slots_per_block;
    const std::uint64_t begin = std::max(list.position, block_begin);
    const std::uint64_t end =
        std::min(list.position + list.slots, block_begin + parts_.slots_per_block);
    return {block, static_cast<std::uint32_t>(begin - block_begin),
            static_cast<std::uint32_t>(end - begin), begin - list.position};
  }
  // Ids from here on have no entry and no edges.
  [[nodiscard]] VertexId listed() const { return listed_; }
  // In mini-data, virtual ids and ids of lists in blocks come before this one.
  [[nodiscard]] VertexId first_mini_id() const { return first_mini_; }
  // The vertices of one edge, where the form knows all of them by their ids; else none.
  [[nodiscard]] VertexRange leaves() const {
    if (parts_.form != IndexForm::mini_data || parts_.inline_edges == 0) return {};
    return {parts_.theta[1], parts_.theta[0]};
  }
  [[nodiscard]] IndexForm form() const { return parts_.form; }
  [[nodiscard]] unsigned inline_edges() const { return parts_.inline_edges; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  [[nodiscard]] BlockId block_of(std::uint64_t slot) const {
    return slot_bits_ != 0 ? slot >> slot_bits_ : slot / parts_.slots_per_block;
  }
  // Replaces the degrees of form in-index, as the files have them, by fewer bytes.
  void put_degrees_into_entries();

  [[nodiscard]] const std::uint32_t* words(VertexId v) const {
    return parts_.words.data() + std::uint64_t{v} * entry_words(parts_.inline_edges);
  }
  // in-index, for a list in blocks.
  [[nodiscard]] std::uint64_t entry(VertexId v) const {
    return words(v)[0] | std::uint64_t{words(v)[1]} << 32;
  }
  [[nodiscard]] std::uint64_t packed_degree(VertexId v, std::uint64_t entry) const {
    const std::uint64_t degree = entry >> kPositionBits;
    return degree < kLongDegree ? degree : parts_.longs.at(v).degree;
  }
  [[nodiscard]] std::uint32_t ids_in_entry(VertexId v) const {
    std::uint32_t ids = 0;
    for (unsigned i = 0; i < parts_.inline_edges; ++i) ids += words(v)[i] != kNoVertex ? 1 : 0;
    return ids;
  }

  // REQUIRES: v comes before first_mini_.
  [[nodiscard]] std::uint64_t degree_by_entry(VertexId v) const {
    switch (parts_.form) {
      case IndexForm::lengths: {
        const std::uint16_t length = parts_.running.entry(v);
        return length < RunningPositions::kLong ? length : parts_.longs.at(v).degree;
      }
      case IndexForm::sparse: {
        if (!parts_.ids.contains(v)) return 0;
        const std::uint32_t rank = parts_.ids.rank(v);
        const std::uint16_t length = parts_.running.entry(rank);
        return length < RunningPositions::kLong ? length : parts_.longs.at(rank).degree;
      }
      case IndexForm::packed:
        return packed_degree(v, parts_.entries[v]);
      case IndexForm::in_index:
        return in_blocks_[v] ? packed_degree(v, entry(v)) : ids_in_entry(v);
      case IndexForm::mini_data:
        break;
    }
    return parts_.positions.distance(v);
  }
  [[nodiscard]] unsigned mini_degree(VertexId v) const {
    unsigned degree = parts_.inline_edges;
    while (degree > 0 && parts_.theta[degree - 1] <= v) --degree;
    return degree;
  }
  [[nodiscard]] InlineList mini_list(VertexId v) const {
    const VertexId* const theta = parts_.theta.data();
    std::uint64_t at = 0;
    std::uint32_t degree = parts_.inline_edges;
    for (; theta[degree - 1] <= v; --degree) {
      at += std::uint64_t{theta[degree - 1] - theta[degree]} * degree;
    }
    at += std::uint64_t{v - theta[degree]} * degree;
    return {parts_.mini.data() + at, parts_.weights.empty() ? nullptr : &parts_.weights[at],
            degree};
  }

  Parts parts_;
  std::vector<bool> in_blocks_;  // in-index: is v's list in blocks?
  VertexId listed_ = 0;
  VertexId first_mini_ = 0;  // in other forms than mini-data: listed_
  unsigned slot_bits_ = 10;  // of slots_per_block; 0 if it is no power of two
};

}  // namespace outcore
