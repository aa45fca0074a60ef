// SPDX-License-Identifier: Apache-2.0
// The parallel sliding windows of GraphChi (OSDI 2012), as LOSC describes them in sections 2.2 to
// 3.5. Vertices are cut into P intervals; shard j holds the edges to interval j, sorted by source,
// with a value on each, which is the message that its source sent last (layout `psw`). A pass goes
// through the intervals in order. For each one
//
//   load        its memory shard, which has all its in-edges, and a window of each other shard,
//               which has the out-edges to there (memory_shard.h, sliding_windows.h)
//   construct   arrays of in- and out-edges for each vertex (subgraph.h)
//   update      each vertex that is due hears what lies on its in-edges, and what it then says
//               goes onto its out-edges (updates.h)
//   write-back  the windows whose values changed go back whole, while the edges of the next
//               interval are loaded; its values are read when they are there
//
// A pass over everything reads 2 - 1/P times |E| (M + W) bytes, and writes |E| W (LOSC, section
// 3.5), for M bytes of an edge and W of its value. An interval without a vertex that is due is
// passed over.
//
// converge() is of visibility `immediate`, in a fixed order; programs that settle run by rounds. A
// round is two half passes (half_passes.h).
//
// What goes wrong leaves the values as a writer does that died: the next engine sets them to 0
// (edge_values.h).
#pragma once

#include <memory>
#include <variant>

#include "common/executor.h"
#include "common/stopwatch.h"
#include "engines/engine.h"
#include "engines/psw/frame_regions.h"
#include "engines/psw/half_passes.h"
#include "engines/psw/memory_shard.h"
#include "engines/psw/sliding_windows.h"
#include "engines/psw/sub_intervals.h"
#include "engines/psw/subgraph.h"
#include "engines/psw/transfers.h"
#include "engines/psw/updates.h"

namespace outcore {

class PswEngine final : public Engine {
 public:
  using Reads = EdgeLayout;
  static constexpr EngineTraits kTraits = {.converge = Visibility::immediate,
                                           .reverse = false,
                                           .messages_on_edges = true,
                                           .frames_of_memory = true,
                                           .pack = "psw"};
  static constexpr std::uint32_t kMaxRequest = 1 << 20;
  static std::vector<Parameter> parameters();
  static PublishedForm published();
  // With as many shards as the frames take. Where they are too small for any number of shards, the
  // number that needs the smallest frames.
  static LayoutChoices choices_for(const LayoutChoices& choices, EdgeIndex edges,
                                   std::uint64_t frames);

  PswEngine(const EdgeLayout& layout, const EngineOptions& options);
  ~PswEngine() override;

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  [[nodiscard]] EngineReport report() const override;

 private:
  using AnySubgraph = std::variant<WindowSubgraph<EdgeObject>, WindowSubgraph<EdgeAtSlot>>;

  [[nodiscard]] AnySubgraph make_subgraph() const;
  void check_program(const Program& program) const;
  [[nodiscard]] bool may_be_random(const Traits& traits) const;
  [[nodiscard]] VertexRange interval(std::uint32_t i) const { return layout_.intervals()[i]; }

  void note_order();

  void pass();
  void update_interval(std::uint32_t i);
  void speak_half();
  void hear_half(bool settles);
  void hear_interval(std::uint32_t i);

  void load_edges(std::uint32_t i, bool shard, bool windows);
  void load_windows(bool shard);
  void construct(const SubgraphParts& parts, VertexRange sub_interval,
                 std::span<const std::uint8_t> wanted);
  template <typename F>
  void update(const F& f);  // f(subgraph)
  // Windows with a source that spoke, by spoke(source), go back.
  template <typename Spoke>
  void write_windows(const Spoke& spoke);
  void finish_writes();
  std::span<const std::uint8_t> bytes_of(const Bitmap& bits, VertexRange range);
  // States in files: those of an interval, and next those of the one behind it.
  void enter_states(WindowPass& states, std::uint32_t i) const;

  void begin_round(std::uint64_t frontier = 0);  // 0: not known before
  void end_round(RoundReport round, std::uint64_t activations);
  void note_processed(const EdgeCell& cell) const;
  void note_dropped() const;
  void use_cell(std::uint32_t row, std::uint32_t column);
  [[nodiscard]] std::uint64_t blocks_of(const EdgeCell& cell) const;

  const EdgeLayout& layout_;
  EngineOptions options_;
  Parameters settings_;
  Graph graph_;
  Executor executor_;
  SubIntervals sub_intervals_;
  EdgeValues values_;  // opened when nothing is left to be refused
  Door door_;
  FrameRegions frames_;
  EdgeSlots slots_;
  Transfers transfers_;
  MemoryShard shard_;
  SlidingWindows windows_;
  AnySubgraph subgraph_;
  Updates updates_;
  HalfPasses halves_;
  bool deterministic_;
  bool writing_ = false;  // a call is under way, or failed
  std::vector<std::uint8_t> wanted_;
  EngineReport report_;
  // Of the round under way.
  std::vector<bool> used_cells_;
  IoCounters before_round_;
  Stopwatch watch_;
  std::uint64_t trace_rounds_ = 0;
};

}  // namespace outcore
