// SPDX-License-Identifier: Apache-2.0
// Which edges of a list still stand. A graph that changes is a multiset of edges: an addition adds
// one copy, a removal takes one away if there is one. A list is read from its newest entry to its
// oldest; then each removal is met before the copy that it takes.
//
// So taking entries in needs no look-up, and a list of removals r and additions k acts on the c
// copies that are older as max(c - r, 0) + k. What is left over at the oldest entry was removed
// without being there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/hash.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

class StandingEdges {
 public:
  // A new list.
  void begin() {
    if (keys_ > 0) std::fill(slots_.begin(), slots_.end(), Slot{});
    pending_ = 0;
    keys_ = 0;
  }
  // Calls f with each neighbour that stands; `entries` are older than those before, and are read
  // from the last to the first.
  template <typename F>
  void take(std::span<const Entry> entries, F&& f) {
    for (std::size_t i = entries.size(); i > 0; --i) take(entries[i - 1], f);
  }
  template <typename F>
  void take(Entry entry, F&& f) {
    const VertexId v = neighbour(entry);
    if (removes(entry)) {
      remove(v);
    } else if (pending_ == 0 || !taken_away(v)) {
      f(v);
    }
  }
  // At the end of a list: removals of what was not there, of neighbours from `least` on. (In a
  // symmetric store a removal stands at both ends, and counts at the lesser one.)
  [[nodiscard]] std::uint64_t missed(VertexId least) const {
    if (pending_ == 0 || least == 0) return pending_;
    std::uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.v != kNoVertex && slot.v >= least ? slot.count : 0;
    return sum;
  }
  // Calls f with each of them.
  template <typename F>
  void for_each_missed(F&& f) const {
    for (const Slot& slot : slots_) {
      for (std::uint32_t i = 0; slot.v != kNoVertex && i < slot.count; ++i) f(slot.v);
    }
  }

 private:
  // Removals that wait for a copy, by neighbour: a table with open addressing.
  struct Slot {
    VertexId v = kNoVertex;
    std::uint32_t count = 0;
  };

  Slot& slot_of(VertexId v) {
    std::size_t at = mix(v) & (slots_.size() - 1);
    while (slots_[at].v != v && slots_[at].v != kNoVertex) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void remove(VertexId v) {
    if (2 * keys_ >= slots_.size()) enlarge();
    Slot& slot = slot_of(v);
    if (slot.v == kNoVertex) ++keys_;
    slot.v = v;
    ++slot.count;
    ++pending_;
  }
  bool taken_away(VertexId v) {
    Slot& slot = slot_of(v);
    if (slot.v == kNoVertex || slot.count == 0) return false;
    --slot.count;
    --pending_;
    return true;
  }
  void enlarge() {
    std::vector<Slot> before(slots_.empty() ? 64 : slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.v != kNoVertex) slot_of(slot.v) = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t keys_ = 0;     // slots in use
  std::uint64_t pending_ = 0;
};

}  // namespace outcore::evolving
