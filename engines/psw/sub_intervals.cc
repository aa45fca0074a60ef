// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/sub_intervals.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/sizes.h"
#include "engines/frames_too_small.h"
#include "engines/psw/shard_count.h"
#include "storage/layout/layout_command.h"

namespace outcore {

namespace {

// Of a vertex of a sub-interval: where its edges begin, and the next is placed, on either side; and
// what is to be done with it.
constexpr std::uint64_t kVertexBytes = 4 * sizeof(std::uint32_t) + 4;

}  // namespace

SubIntervals::SubIntervals(const EdgeLayout& layout, std::uint32_t array_bytes,
                           std::uint64_t frames_bytes)
    : layout_(layout),
      array_bytes_(array_bytes),
      slot_bytes_(sizeof(VertexId) + layout.facts().value_bytes) {
  measure_intervals();
  const std::uint64_t whole = whole_bytes();
  std::uint64_t most_border = 0;
  for (std::uint32_t i = 0; i < layout.facts().intervals; ++i) {
    most_border = std::max(most_border, border_bytes(i));
  }
  std::uint64_t largest_vertex = 0;
  for (VertexId v = 0; v < layout.facts().id_space; ++v) {
    largest_vertex = std::max(largest_vertex, bytes_of(v));
  }
  const std::uint64_t least = whole + most_border + largest_vertex;
  if (least > frames_bytes) refuse(frames_bytes, least);
  for (std::uint32_t i = 0; i < layout.facts().intervals; ++i) {
    cut(i, frames_bytes - whole - border_bytes(i));
  }
}

void SubIntervals::measure_intervals() {
  const std::uint32_t intervals = layout_.facts().intervals;
  for (std::uint32_t i = 0; i < intervals; ++i) {
    std::uint64_t shard = 0;
    std::uint64_t shard_runs = 0;
    std::uint64_t row_runs = 0;
    for (std::uint32_t j = 0; j < intervals; ++j) {
      const EdgeCell& in = layout_.cell(j, i);
      shard += layout_.blocks_for(in.edges, sizeof(VertexId));
      shard_runs += layout_.blocks_for(in.runs, sizeof(SourceRun));
      row_runs += layout_.blocks_for(layout_.cell(i, j).runs, sizeof(SourceRun));
    }
    room_.shard_blocks = std::max(room_.shard_blocks, shard);
    room_.shard_run_blocks = std::max(room_.shard_run_blocks, shard_runs);
    room_.row_run_blocks = std::max(room_.row_run_blocks, row_runs);
  }
}

// The memory shard and the runs of the windows. Of the shard's edges sources are kept, too.
std::uint64_t SubIntervals::whole_bytes() const {
  const std::uint64_t block = layout_.facts().block_bytes;
  const std::uint64_t columns = layout_.file(EdgeColumn::weights) ? 3 : 2;
  return room_.shard_blocks * block * columns +
         room_.shard_blocks * block * layout_.facts().value_bytes / sizeof(VertexId) +
         (room_.shard_run_blocks + room_.row_run_blocks) * block;
}

std::uint64_t SubIntervals::bytes_of(VertexId v) const {
  const std::uint64_t in = layout_.degrees(Direction::in)[v];
  const std::uint64_t out = layout_.degrees(Direction::out)[v];
  return kVertexBytes + in * array_bytes_ + out * (array_bytes_ + slot_bytes_);
}

std::uint64_t SubIntervals::border_blocks(std::uint32_t interval) const {
  std::uint64_t blocks = 0;
  for (std::uint32_t shard = 0; shard < layout_.facts().intervals; ++shard) {
    blocks += layout_.cell(interval, shard).edges > 0 ? 2 : 0;
  }
  return blocks;
}

std::uint64_t SubIntervals::border_bytes(std::uint32_t interval) const {
  return border_blocks(interval) * layout_.facts().block_bytes / sizeof(VertexId) * slot_bytes_;
}

void SubIntervals::cut(std::uint32_t interval, std::uint64_t room_bytes) {
  const VertexRange range = layout_.intervals()[interval];
  const std::uint64_t block_edges = layout_.facts().block_bytes / sizeof(VertexId);
  VertexId begin = range.begin;
  do {
    std::uint64_t bytes = 0;
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    VertexId end = begin;
    for (; end < range.end && bytes + bytes_of(end) <= room_bytes; ++end) {
      bytes += bytes_of(end);
      in += layout_.degrees(Direction::in)[end];
      out += layout_.degrees(Direction::out)[end];
    }
    all_.push_back({begin, end});
    room_.in_edges = std::max(room_.in_edges, in);
    room_.out_edges = std::max(room_.out_edges, out);
    room_.window_blocks =
        std::max(room_.window_blocks, out / block_edges + border_blocks(interval));
    room_.vertices = std::max(room_.vertices, end - begin);
    begin = end;
  } while (begin < range.end);
  first_.push_back(all_.size());
}

// 0 where the edges of one vertex are what is too large.
std::uint32_t SubIntervals::fitting_intervals(std::uint64_t frames_bytes) const {
  const EdgeFacts& facts = layout_.facts();
  ShardedGraph graph{.edges = facts.edges,
                     .weighted = layout_.file(EdgeColumn::weights).has_value(),
                     .value_bytes = facts.value_bytes,
                     .block_bytes = facts.block_bytes};
  for (VertexId v = 0; v < facts.id_space; ++v) {
    graph.vertex_bytes = std::max(graph.vertex_bytes, bytes_of(v));
  }
  return fitting_shards(graph, frames_bytes, facts.intervals + 1);
}

void SubIntervals::refuse(std::uint64_t frames_bytes, std::uint64_t needed) const {
  std::string other;
  if (const std::uint32_t p = fitting_intervals(frames_bytes); p > 0) {
    LayoutChoices wanted = layout_.choices();
    set_pack(wanted, fmt::format("psw:p={},value={}", p, layout_.facts().value_bytes));
    other = ", or " + how_to_have(graph_of_layout(layout_.folder()), wanted);
  }
  throw FramesTooSmall(
      frames_bytes,
      fmt::format("a memory shard of {} (p={}), its windows and the edges of one vertex take {}",
                  layout_.folder().string(), layout_.facts().intervals, human_size(needed)),
      needed, other);
}

}  // namespace outcore
