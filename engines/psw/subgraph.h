// SPDX-License-Identifier: Apache-2.0
// The subgraph of a sub-interval: for each vertex an array of its in-edges and one of its
// out-edges, to which the edges of the memory shard and of the windows are assigned (LOSC, section
// 2.3). A shard is sorted by source, so in-edges go to arrays in random order, which is what
// subgraph construction costs; out-edges go in order.
//
// An edge of an array is, by the parameter `edges`,
//   EdgeObject  12 bytes: the neighbour, and a pointer to the value, as GraphChi has it
//   EdgeAtSlot  4 bytes: its slot, by which both are found
//
// Construction needs no atomics. By vertices, each worker has vertices of its own, looks at all
// edges and takes those of its vertices. By shards, one worker takes the memory shard and the
// others the windows, which is GraphChi's way: the in-edges, which cost most, gain nothing from
// workers. Arrays are in the order of the shard either way, whatever the number of workers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "common/executor.h"
#include "engines/psw/memory_shard.h"
#include "engines/psw/sliding_windows.h"

namespace outcore {

class EdgeObject {
 public:
  EdgeObject(const EdgeSlots& slots, EdgeSlot slot, VertexId neighbour) : neighbour_(neighbour) {
    const std::byte* value = slots.value(slot);
    std::memcpy(value_, static_cast<const void*>(&value), sizeof(value));
  }
  [[nodiscard]] VertexId source(const EdgeSlots& /*slots*/) const { return neighbour_; }
  [[nodiscard]] VertexId target(const EdgeSlots& /*slots*/) const { return neighbour_; }
  [[nodiscard]] std::byte* value(const EdgeSlots& /*slots*/) const {
    std::byte* value = nullptr;
    std::memcpy(static_cast<void*>(&value), value_, sizeof(value));
    return value;
  }
  [[nodiscard]] EdgeSlot slot(const EdgeSlots& slots) const { return slots.slot(value(slots)); }
  void fetch(const EdgeSlots& slots) const { __builtin_prefetch(value(slots)); }

 private:
  VertexId neighbour_;
  char value_[sizeof(std::byte*)];  // a pointer, anywhere
};
static_assert(sizeof(EdgeObject) == 12);

class EdgeAtSlot {
 public:
  EdgeAtSlot(const EdgeSlots& /*slots*/, EdgeSlot slot, VertexId /*neighbour*/) : slot_(slot) {}
  [[nodiscard]] VertexId source(const EdgeSlots& slots) const { return slots.sources[slot_]; }
  [[nodiscard]] VertexId target(const EdgeSlots& slots) const { return slots.targets[slot_]; }
  [[nodiscard]] std::byte* value(const EdgeSlots& slots) const { return slots.value(slot_); }
  [[nodiscard]] EdgeSlot slot(const EdgeSlots& /*slots*/) const { return slot_; }
  void fetch(const EdgeSlots& slots) const {
    __builtin_prefetch(&slots.sources[slot_]);
    __builtin_prefetch(value(slots));
  }

 private:
  EdgeSlot slot_;
};
static_assert(sizeof(EdgeAtSlot) == 4);

// What a subgraph is constructed from, and which of its sides is wanted. Without a memory shard the
// windows have all out-edges.
struct SubgraphParts {
  const MemoryShard* shard = nullptr;
  std::span<const SlidingWindow> windows = {};
  bool in = false;
  bool out = false;
};

enum class ConstructBy : std::uint8_t { vertices, shards };

template <typename Edge>
class WindowSubgraph {
 public:
  // `arrays` has room for the in- and out-edges of any sub-interval.
  WindowSubgraph(const EdgeLayout& layout, const EdgeSlots& slots, std::byte* arrays,
                 ConstructBy by)
      : layout_(layout), slots_(slots), arrays_(reinterpret_cast<Edge*>(arrays)), by_(by) {}

  // Of those vertices of the sub-interval, by their place in it, that are `wanted`. Returns the
  // edges that were assigned.
  // Never in line: callgrind counts what is done within (configs/columns.yaml).
  [[gnu::noinline]] EdgeIndex construct(const SubgraphParts& parts, VertexRange vertices,
                                        std::span<const std::uint8_t> wanted, Executor& executor);

  [[nodiscard]] VertexRange vertices() const { return vertices_; }
  // f(edge) for each in-edge of v. What an edge leads to lies anywhere in the shard, so it is
  // fetched some edges ahead, those of the next vertices too.
  template <typename F>
  void for_each_in_edge(VertexId v, const F& f) const;
  [[nodiscard]] std::span<const Edge> out_edges(VertexId v) const { return edges(out_begin_, v); }
  // Has the vertex an edge from or to another that is wanted too, or itself?
  [[nodiscard]] bool has_neighbour(VertexId v) const {
    return has_neighbour_[v - vertices_.begin] != 0;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (in_begin_.capacity() + out_begin_.capacity() + next_in_.capacity() +
            next_out_.capacity()) *
               sizeof(std::uint32_t) +
           has_neighbour_.capacity();
  }

 private:
  static constexpr std::uint32_t kUnwanted = ~std::uint32_t{0};
  static constexpr std::uint32_t kFetched = 24;  // edges ahead

  [[nodiscard]] std::span<const Edge> edges(const std::vector<std::uint32_t>& begin,
                                            VertexId v) const {
    const VertexId k = v - vertices_.begin;
    return {arrays_ + begin[k], begin[k + 1] - begin[k]};
  }
  // Room for the edges of one side, behind `first`; returns where it ends.
  std::uint32_t make_room(bool side, Direction direction, std::uint32_t first,
                          std::vector<std::uint32_t>& begin,
                          std::vector<std::uint32_t>& next) const;
  // The vertices of a worker: about as many edges as any other's.
  [[nodiscard]] VertexRange share(unsigned worker, unsigned workers) const;
  void assign_in_edges(const MemoryShard& shard, VertexRange mine);
  void assign_out_edges(const SubgraphParts& parts, VertexRange mine);
  [[nodiscard]] bool wants(VertexId v) const {
    const VertexId k = v - vertices_.begin;
    return k < vertices_.end - vertices_.begin && wanted_[k] != 0;
  }

  // Relaxed: two workers may mark a vertex, whose edges they assign; whoever reads comes later.
  void mark(VertexId k) { std::atomic_ref(has_neighbour_[k]).store(1, std::memory_order_relaxed); }

  const EdgeLayout& layout_;
  EdgeSlots slots_;
  Edge* arrays_;  // in-edges, then out-edges
  ConstructBy by_;
  VertexRange vertices_;
  std::span<const std::uint8_t> wanted_;  // while constructing
  std::vector<std::uint32_t> in_begin_;   // of each vertex, and behind the last
  std::vector<std::uint32_t> out_begin_;
  std::vector<std::uint32_t> next_in_;  // where the next edge goes
  std::vector<std::uint32_t> next_out_;
  std::vector<std::uint8_t> has_neighbour_;
};

template <typename Edge>
template <typename F>
void WindowSubgraph<Edge>::for_each_in_edge(VertexId v, const F& f) const {
  const std::uint32_t end = in_begin_[v - vertices_.begin + 1];
  const std::uint32_t end_of_all = in_begin_.back();
  for (std::uint32_t at = in_begin_[v - vertices_.begin]; at < end; ++at) {
    if (end_of_all - at > kFetched) arrays_[at + kFetched].fetch(slots_);
    f(arrays_[at]);
  }
}

template <typename Edge>
EdgeIndex WindowSubgraph<Edge>::construct(const SubgraphParts& parts, VertexRange vertices,
                                          std::span<const std::uint8_t> wanted,
                                          Executor& executor) {
  vertices_ = vertices;
  has_neighbour_.assign(vertices.end - vertices.begin, 0);
  wanted_ = wanted;
  const std::uint32_t ins = make_room(parts.in, Direction::in, 0, in_begin_, next_in_);
  const std::uint32_t all = make_room(parts.out, Direction::out, ins, out_begin_, next_out_);
  if (all == 0) return 0;
  const unsigned workers = executor.size();
  executor.run([&](unsigned worker) {
    if (by_ == ConstructBy::vertices || workers == 1) {
      const VertexRange mine = share(worker, workers);
      if (parts.in) assign_in_edges(*parts.shard, mine);
      if (parts.out) assign_out_edges(parts, mine);
    } else if (worker == 0) {
      if (parts.in) assign_in_edges(*parts.shard, vertices_);
    } else {
      if (parts.out) assign_out_edges(parts, share(worker - 1, workers - 1));
    }
  });
  return all;
}

template <typename Edge>
std::uint32_t WindowSubgraph<Edge>::make_room(bool side, Direction direction, std::uint32_t first,
                                              std::vector<std::uint32_t>& begin,
                                              std::vector<std::uint32_t>& next) const {
  const VertexId count = vertices_.end - vertices_.begin;
  const std::span<const std::uint32_t> degrees = layout_.degrees(direction);
  begin.resize(count + 1);
  next.resize(count);
  for (VertexId k = 0; k < count; ++k) {
    begin[k] = first;
    next[k] = kUnwanted;
    if (!side || wanted_[k] == 0) continue;
    next[k] = first;
    first += degrees[vertices_.begin + k];
  }
  begin[count] = first;
  return first;
}

template <typename Edge>
VertexRange WindowSubgraph<Edge>::share(unsigned worker, unsigned workers) const {
  const VertexId count = vertices_.end - vertices_.begin;
  const std::uint64_t first = std::uint64_t{in_begin_[0]} + out_begin_[0];
  const std::uint64_t edges = std::uint64_t{in_begin_[count]} + out_begin_[count] - first;
  // The first vertex before which there are so many edges.
  const auto at = [&](unsigned w) {
    if (w == workers) return vertices_.end;
    const std::uint64_t before = first + edges * w / workers;
    VertexId low = 0;
    VertexId high = count;
    while (low < high) {
      const VertexId middle = low + (high - low) / 2;
      if (std::uint64_t{in_begin_[middle]} + out_begin_[middle] < before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return vertices_.begin + low;
  };
  return {worker == 0 ? vertices_.begin : at(worker), at(worker + 1)};
}

template <typename Edge>
void WindowSubgraph<Edge>::assign_in_edges(const MemoryShard& shard, VertexRange mine) {
  const VertexId size = mine.end - mine.begin;
  const VertexId offset = mine.begin - vertices_.begin;
  for (std::uint32_t row = 0; row < layout_.facts().intervals; ++row) {
    const SlotRange cell = shard.cell(row);
    const bool own = row == shard.interval();
    for (EdgeSlot slot = cell.begin; slot < cell.end; ++slot) {
      const VertexId k = slots_.targets[slot] - mine.begin;
      if (k >= size) continue;
      std::uint32_t& next = next_in_[k + offset];
      if (next == kUnwanted) continue;
      const VertexId source = slots_.sources[slot];
      arrays_[next++] = Edge(slots_, slot, source);
      if (own && wants(source)) mark(k + offset);
    }
  }
}

template <typename Edge>
void WindowSubgraph<Edge>::assign_out_edges(const SubgraphParts& parts, VertexRange mine) {
  const VertexId size = mine.end - mine.begin;
  const VertexId offset = mine.begin - vertices_.begin;
  for (const SlidingWindow& window : parts.windows) {
    EdgeSlot slot = window.first;
    for (const SourceRun& run : window.runs) {
      const VertexId k = run.source - mine.begin;
      if (k < size && next_out_[k + offset] != kUnwanted) {
        std::uint32_t& next = next_out_[k + offset];
        for (std::uint32_t i = 0; i < run.count; ++i) {
          arrays_[next++] = Edge(slots_, slot + i, slots_.targets[slot + i]);
        }
      }
      slot += run.count;
    }
  }
  if (parts.shard == nullptr) return;
  const SlotRange own = parts.shard->own_window();
  const auto* first =
      std::lower_bound(slots_.sources + own.begin, slots_.sources + own.end, mine.begin);
  for (auto slot = static_cast<EdgeSlot>(first - slots_.sources);
       slot < own.end && slots_.sources[slot] < mine.end; ++slot) {
    const VertexId k = slots_.sources[slot] - vertices_.begin;
    std::uint32_t& next = next_out_[k];
    if (next == kUnwanted) continue;
    const VertexId target = slots_.targets[slot];
    arrays_[next++] = Edge(slots_, slot, target);
    if (wants(target)) mark(k);
  }
}

}  // namespace outcore
