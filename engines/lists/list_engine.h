// SPDX-License-Identifier: Apache-2.0
// What engines of lists share: the layout and what it tells from memory, workers with a share of
// the frames and requests each, the skeleton of a round, hand-over and counts. An engine says how
// the lists of a round are read, in read(), and nothing of the rest.
//
// The same for all of them:
//   - a round takes all messages beforehand where the program needs that, pulls when everything is
//     active, unless the engine decides by itself, and lets every vertex speak when nearly all are
//     active and that is harmless (Hearing::repeatable);
//   - one worker alone writes without atomics;
//   - where ids go by degree, workers combine the messages to the first of them (parameter
//     `combine`);
//   - holes that are read through are held to --most-holes over the engine's life, for each worker;
//   - counts: edges_processed are edges of the pieces that programs were given, rounds[].blocks the
//     different blocks that a round used lists from, holes left out, in frames or not.
//
// More threads than requests in flight are not used: each worker waits for requests of its own.
#pragma once

#include <optional>
#include <vector>

#include "common/executor.h"
#include "engines/engine.h"
#include "engines/lists/block_queue.h"
#include "engines/lists/hand_over.h"
#include "engines/lists/round.h"
#include "storage/io/merge.h"
#include "storage/source/block_source.h"
#include "storage/source/kept_blocks.h"

namespace outcore {

class ListEngine : public Engine {
 public:
  [[nodiscard]] const Graph& graph() const final { return graph_; }
  void for_each_vertex(const VertexFn& f) final;
  void for_each_range(const RangeFn& f) final;
  std::uint64_t edges_of(const Frontier& frontier) final;
  void heads(unsigned k, const HeadsFn& f) final;
  // By rounds, unless an engine knows another way.
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) final;
  void drive(TaskProgram& program, std::span<const Task> tasks) final;
  [[nodiscard]] EngineReport report() const final;

  // Parameters that all engines of lists have; an engine adds its own.
  static std::vector<Parameter> parameters(std::vector<Parameter> own);

 protected:
  // Who has ways to the device: each worker, with its share of the requests, or one for all.
  enum class Readers : bool { each, one };
  // Refuses, with a usage error, what leaves a worker without a frame. `parameters`: all of the
  // engine's.
  ListEngine(const Layout& layout, const EngineOptions& options,
             const std::vector<Parameter>& parameters, Readers readers = Readers::each);

  // Does the round read in-lists of those that listen, and not the out-lists of the frontier?
  [[nodiscard]] virtual bool pulls(Program& program, const Frontier& frontier, Direction direction,
                                   Mode mode);
  // Hands the lists of `readers` over, each once. Several workers may be at it, each by its own of
  // hands(), which activate into `outs`. Nothing is under way when it returns.
  virtual void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) = 0;
  // May a round let all vertices speak where that is harmless, and costs less?
  [[nodiscard]] virtual bool all_may_speak() const { return true; }
  // What only this engine has to tell of the round that just ended.
  virtual void tell_own(RoundReport& /*round*/) {}
  // The worker's way to single lists, for drive(). No read() is under way.
  virtual BlockSource& list_source(unsigned worker) = 0;
  // The engine's frames and queues, into `report.memory`, and what else it has to tell.
  virtual void add_own(EngineReport& report) const = 0;

  // f(worker, range) in parallel, by ranges that cover the ids up to `end`. States in files come
  // into memory, and leave it, window by window.
  template <typename F>
  void for_states(VertexId end, WindowPass::Use use, const F& f);
  // Of the states' arrays in files.
  [[nodiscard]] StateWindows& windows() { return options_.states->windows(); }
  [[nodiscard]] Frontier listeners(Program& program);
  [[nodiscard]] std::uint64_t edges_of(const Frontier& frontier, const ListIndex& index);
  [[nodiscard]] std::span<HandOver> hands() { return hands_; }  // one a worker
  // What `run` hands over is activated into outs[worker]; end() ends it.
  void begin(const Round& run, std::span<Activations* const> outs);
  // Sums up what was handed over, once all that was kept back is told.
  HandOver::Counts end();
  // What was read and written, through all doors.
  [[nodiscard]] virtual IoCounters io() const;
  // What workers may assume of one another, and the vertices for which they combine messages.
  [[nodiscard]] Access access() const;
  [[nodiscard]] VertexId combined_vertices(const Traits& traits) const;
  // Push: takes the messages of `straddlers`, ascending, whose lists several workers read at once.
  void take_straddlers(Round& round, std::span<const VertexId> straddlers);
  // Hands over the lists of `readers`, each wanted block once (process_queue_block.h). `queue` is
  // the engine's, which may keep it; `sources` are one a worker; `kept` need not be read.
  void read_blocks(Round& round, const Frontier& readers, BlockQueue& queue,
                   std::span<const std::unique_ptr<BlockSource>> sources,
                   const KeptBlocks* kept = nullptr);
  // Hands over the lists of `vertices`, which stand in the index or are empty.
  void read_blockless(std::span<const VertexId> vertices);
  [[nodiscard]] std::uint32_t request_blocks() const;  // the most of one request
  [[nodiscard]] MergeLimits merge_limits(std::uint32_t max_blocks) const;
  // Requests that the worker may have in flight: k_r over all of them. The first has the most.
  [[nodiscard]] unsigned depth_of(unsigned worker) const;

  const Layout& layout_;
  const EngineOptions options_;  // checked
  const Parameters settings_;
  const Graph graph_;
  Executor executor_;
  Door door_;
  MessageSlots messages_;
  std::vector<HoleBudget> hole_budgets_;  // one a worker
  EngineReport report_;

 private:
  // Is it cheaper to let all vertices speak than to leave out those that are not active?
  [[nodiscard]] bool may_all_speak(const Traits& traits, const Frontier& frontier,
                                   Direction direction, Mode mode);
  void take_all_messages(Round& round, const Frontier& frontier, const ListIndex& index);
  void settle_all(Program& program, std::vector<Collector>& collectors);
  void report_round(RoundReport& round, const IoCounters& before);

  std::vector<HandOver> hands_;  // one a worker
  bool combine_;
  Frontier spare_;  // the last one, empty: a round of few vertices should not clear a bit for each
  Bitmap used_blocks_;
  std::uint64_t touched_bytes_ = 0;
  std::uint64_t trace_rounds_ = 0;
};

}  // namespace outcore
