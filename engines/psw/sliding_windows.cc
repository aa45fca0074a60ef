// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/sliding_windows.h"

#include <algorithm>

#include "engines/psw/shard_files.h"

namespace outcore {

void SlidingWindows::clear() {
  rests_.clear();
  windows_.clear();
}

void SlidingWindows::load_runs(std::uint32_t interval, bool own, Transfers& transfers) {
  clear();
  std::byte* into = runs_;
  for (std::uint32_t shard = 0; shard < layout_.facts().intervals; ++shard) {
    const EdgeCell& cell = layout_.cell(interval, shard);
    if (cell.edges == 0 || (shard == interval && !own)) continue;
    const std::uint64_t blocks = layout_.blocks_for(cell.runs, sizeof(SourceRun));
    transfers.read(Transfers::edges, ShardFiles(layout_).runs, cell.first_run_block, blocks, into);
    rests_.push_back({.cell = &cell, .runs = {reinterpret_cast<SourceRun*>(into), cell.runs}});
    windows_.push_back({.shard = shard, .runs = {}});
    into += blocks * layout_.facts().block_bytes;
  }
}

void SlidingWindows::slide(VertexRange sub_interval) {
  const std::uint64_t block_edges = layout_.facts().block_bytes / sizeof(VertexId);
  EdgeSlot slot = first_slot_;
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    Rest& rest = rests_[w];
    SlidingWindow& window = windows_[w];
    std::size_t count = 0;
    window.edges = 0;
    for (; count < rest.runs.size() && rest.runs[count].source < sub_interval.end; ++count) {
      window.edges += rest.runs[count].count;
    }
    window.runs = rest.runs.first(count);
    window.dirty = false;
    const EdgeIndex block = rest.passed / block_edges;
    window.first_block = rest.cell->first_block + block;
    window.blocks = window.edges == 0
                        ? 0
                        : (rest.passed + window.edges + block_edges - 1) / block_edges - block;
    window.first_slot = slot;
    window.first = slot + static_cast<EdgeSlot>(rest.passed - block * block_edges);
    slot += static_cast<EdgeSlot>(window.blocks * block_edges);
    rest.runs = rest.runs.subspan(count);
    rest.passed += window.edges;
  }
}

void SlidingWindows::load_edges(Transfers& transfers) {
  for (const SlidingWindow& window : windows_) {
    transfers.read(Transfers::edges, ShardFiles(layout_).targets, window.first_block, window.blocks,
                   reinterpret_cast<std::byte*>(slots_.targets + window.first_slot));
  }
}

// A value takes as much as a target, or a multiple; of larger ones fewer blocks may do.
SlidingWindows::ValueBlocks SlidingWindows::values_of(const SlidingWindow& window) const {
  if (window.edges == 0) return {0, 0, nullptr};
  const std::uint64_t block = layout_.facts().block_bytes;
  const std::uint64_t times = slots_.value_bytes / sizeof(VertexId);
  const std::uint64_t before = std::uint64_t{window.first - window.first_slot} * slots_.value_bytes;
  const std::uint64_t skipped = before / block;
  const std::uint64_t end = before + window.edges * slots_.value_bytes;
  return {.first = window.first_block * times + skipped,
          .blocks = (end + block - 1) / block - skipped,
          .memory = slots_.value(window.first_slot) + skipped * block};
}

void SlidingWindows::load_values(Transfers& transfers) {
  for (const SlidingWindow& window : windows_) {
    const ValueBlocks values = values_of(window);
    transfers.read(Transfers::values, ShardFiles(layout_).values, values.first, values.blocks,
                   values.memory);
  }
}

std::uint64_t SlidingWindows::write_back(Transfers& transfers) {
  std::uint64_t written = 0;
  for (const SlidingWindow& window : windows_) {
    if (!window.dirty) continue;
    const ValueBlocks values = values_of(window);
    transfers.write(ShardFiles(layout_).values, values.first, values.blocks, values.memory);
    ++written;
  }
  return written;
}

}  // namespace outcore
