// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/memory_shard.h"

#include <algorithm>

#include "engines/psw/shard_files.h"

namespace outcore {

void MemoryShard::load_edges(std::uint32_t interval, Transfers& transfers) {
  interval_ = interval;
  edges_ = 0;
  cells_.clear();
  const std::uint32_t last = layout_.facts().intervals - 1;
  const ShardFiles files(layout_);
  const EdgeCell& first = layout_.cell(0, interval);
  const EdgeCell& end = layout_.cell(last, interval);
  first_block_ = first.first_block;
  end_block_ = end.first_block + layout_.blocks_for(end.edges, sizeof(VertexId));
  const std::uint64_t block_edges = layout_.facts().block_bytes / sizeof(VertexId);
  for (std::uint32_t row = 0; row <= last; ++row) {
    const EdgeCell& cell = layout_.cell(row, interval);
    const auto begin = static_cast<EdgeSlot>((cell.first_block - first_block_) * block_edges);
    cells_.push_back({begin, begin + static_cast<EdgeSlot>(cell.edges)});
    edges_ += cell.edges;
  }
  const std::uint64_t runs =
      end.first_run_block + layout_.blocks_for(end.runs, sizeof(SourceRun)) - first.first_run_block;
  transfers.read(Transfers::edges, files.runs, first.first_run_block, runs, runs_);
  transfers.read(Transfers::edges, files.targets, first_block_, blocks(),
                 reinterpret_cast<std::byte*>(slots_.targets));
  if (files.weights) {
    transfers.read(Transfers::edges, *files.weights, first_block_, blocks(),
                   reinterpret_cast<std::byte*>(slots_.weights));
  }
}

void MemoryShard::load_values(Transfers& transfers) {
  const std::uint64_t times = slots_.value_bytes / sizeof(VertexId);
  transfers.read(Transfers::values, ShardFiles(layout_).values, first_block_ * times,
                 blocks() * times, slots_.values);
}

void MemoryShard::expand_sources(Executor& executor) {
  const BlockId first_run_block = layout_.cell(0, interval_).first_run_block;
  executor.parallel_for(0, cells_.size(), 1, [&](unsigned, std::size_t row, std::size_t end) {
    for (; row < end; ++row) {
      const EdgeCell& cell = layout_.cell(static_cast<std::uint32_t>(row), interval_);
      const auto* runs = reinterpret_cast<const SourceRun*>(
          runs_ + (cell.first_run_block - first_run_block) * layout_.facts().block_bytes);
      VertexId* source = slots_.sources + cells_[row].begin;
      for (std::uint64_t r = 0; r < cell.runs; ++r) {
        source = std::fill_n(source, runs[r].count, runs[r].source);
      }
    }
  });
}

void MemoryShard::write_back(Transfers& transfers) {
  const EdgeCell& own = layout_.cell(interval_, interval_);
  transfers.write(ShardFiles(layout_).values, values_.first_block(own), values_.blocks(own),
                  slots_.value(own_window().begin));
}

}  // namespace outcore
