// SPDX-License-Identifier: Apache-2.0
// The grid engine, after GridGraph (ATC 2015): edges lie in P x P blocks by chunks of their sources
// and destinations, and a round streams the blocks column by column and applies them as they pass
// (streaming-apply).
//
//   - Blocks whose chunk of sources has no active vertex are not read (selective scheduling).
//   - `apply=column`: a worker takes a column of its own, and writes its destinations without
//     atomics. `apply=shared`: all workers share the blocks of a column and write with atomics, as
//     published.
//   - When a column is through its destinations settle, while they are still in the cache.
//
// Messages are taken before the first edge is read. A converging program to which the newest
// message is enough sees more, as published: a round goes by intervals of columns, and after each
// of them the vertices that changed speak anew (`visibility=interval`). There are no lists: no
// pull, no heads, no tasks that follow lists.
//
// *Streamed* edges are those that were read and handed over; *used* are those of active vertices.
// The layout's cells are GridGraph's blocks (columns.h).
#pragma once

#include <memory>
#include <vector>

#include "common/executor.h"
#include "engines/engine.h"
#include "engines/grid/columns.h"
#include "engines/grid/dual_windows.h"
#include "engines/grid/edge_stream.h"

namespace outcore {

class GridEngine final : public Engine {
 public:
  using Reads = EdgeLayout;
  static constexpr EngineTraits kTraits = {.converge = Visibility::interval, .pack = "grid"};
  static constexpr unsigned kDepth = 16;
  static constexpr std::uint32_t kMaxRequest = 1 << 20;

  GridEngine(const EdgeLayout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();
  static PublishedForm published();

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  [[nodiscard]] EngineReport report() const override;

 private:
  struct Pass;  // of one round
  class LocalIds;

  const GridColumns& columns(Direction direction);
  EdgeIndex take_messages(Program& program, const Frontier& frontier, Direction direction);
  EdgeIndex take_messages_of(Program& program, const Bitmap& active, VertexRange range,
                             std::span<const std::uint32_t> degrees);
  [[nodiscard]] std::vector<std::uint8_t> active_chunks(const Frontier& frontier);
  void stream(Pass& pass);
  void stream_columns(Pass& pass, std::uint32_t first, std::uint32_t end);
  void synchronise(Pass& pass, VertexRange changed);
  const GridPart* next_part(Pass& pass, unsigned worker) const;
  void apply(Pass& pass, unsigned worker, const EdgeStream::Loaded& loaded);
  void apply_cell(Pass& pass, unsigned worker, const EdgeStream::Loaded& loaded,
                  const GridCell& cell, std::uint64_t blocks_before, EdgeIndex edges);
  void finish_part(Pass& pass, unsigned worker, std::uint32_t column);
  void settle(Pass& pass, unsigned worker, std::uint32_t column);
  void report_round(const Pass& pass, RoundReport& round, const IoCounters& before);
  // f(worker, range) in parallel, window by window where states are in files.
  template <typename F>
  void for_states(std::span<WindowPass* const> passes, const F& f);

  const EdgeLayout& layout_;
  const EngineOptions options_;  // checked
  const Parameters settings_;
  const Graph graph_;
  Executor executor_;
  Door door_;
  std::uint32_t part_blocks_;
  std::vector<std::unique_ptr<EdgeStream>> streams_;  // one a worker
  std::unique_ptr<GridColumns> columns_[2];           // by direction
  State<std::byte> messages_;
  std::size_t message_bytes_ = 0;
  Frontier spare_;            // the last one, empty
  bool by_interval_ = false;  // while converging
  std::uint64_t trace_rounds_ = 0;
  std::uint64_t touched_bytes_ = 0;
  double load_ = 0;
  double update_ = 0;             // of the slowest worker of each round
  double update_processors_ = 0;  // of all
  EngineReport report_;
};

}  // namespace outcore
