// SPDX-License-Identifier: Apache-2.0
// What engines of lists share: the layout and what it keeps in memory, workers with their shares of
// frames and requests, the skeleton of a round, hand-over and counts. An engine only defines how
// the lists of a round are read, in read().
//
// The same for all of them:
//  - a round takes all messages beforehand if the program needs that, pulls if everything is active
//    (unless the engine decides otherwise), and lets every vertex speak if nearly all are active
//    and that is harmless (Hearing::repeatable);
//  - a single worker writes without atomics;
//  - a pull of which one message is enough looks at the neighbours that the layout holds in memory
//    first (--heads);
//  - if ids are by degree, workers combine the messages to the first vertices (parameter
//    `combine`);
//  - holes that are read through are limited by --most-holes over the engine's life, per worker;
//  - counts: edges_processed counts the edges of pieces that programs were given; rounds[].blocks
//    counts the different blocks that a round used lists from, without holes, in frames or not.
//
// Threads beyond the number of requests in flight are not used: each worker waits for its own
// requests.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/executor.h"
#include "engines/engine.h"
#include "engines/lists/block_queue.h"
#include "engines/lists/hand_over.h"
#include "engines/lists/round.h"
#include "engines/lists/task_lists.h"
#include "engines/lists/worker_frames.h"
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
  std::optional<std::uint64_t> bytes_of(Program& program, const Frontier& frontier,
                                        Mode mode) override;
  void heads(unsigned k, const HeadsFn& f) final;
  // In rounds, unless an engine knows another way.
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) final;
  void drive(TaskProgram& program, std::span<const Task> tasks, Direction direction) final;
  [[nodiscard]] EngineReport report() const final;

  // Parameters that all engines of lists have; an engine adds its own.
  static std::vector<Parameter> parameters(std::vector<Parameter> own);

 protected:
  // Who reads from the device: each worker, with its share of the requests, or one for all.
  enum class Readers : bool { each, one };
  // Refuses, with a usage error, options that leave a worker without a frame. `parameters`: all of
  // the engine's.
  ListEngine(const Layout& layout, const EngineOptions& options,
             const std::vector<Parameter>& parameters, Readers readers = Readers::each);

  // Does the round read in-lists of listening vertices, not the out-lists of the frontier?
  [[nodiscard]] virtual bool pulls(Program& program, const Frontier& frontier, Direction direction,
                                   Mode mode);
  // Hands over the lists of `readers`, each once. Several workers may do so, each with its own of
  // hands(), which activate into `outs`. Nothing may be in progress when it returns.
  virtual void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) = 0;
  // Are the round's messages taken before its first list is read?
  [[nodiscard]] virtual bool takes_beforehand(const Traits& traits, bool pull) const {
    return traits.takes_all_messages(pull);
  }
  // How many blocks a round may use, as HandOver numbers them.
  [[nodiscard]] virtual BlockId blocks_of(const DirectedLists& lists) const {
    return lists.blocks();
  }
  // May a round let all vertices speak if that is harmless and cheaper?
  [[nodiscard]] virtual bool all_may_speak() const { return true; }
  // Adds what only this engine reports about the round that just ended.
  virtual void tell_own(RoundReport& /*round*/) {}
  // The worker's access to single lists of a direction, for drive(). REQUIRES: no read() is in
  // progress.
  virtual BlockSource& list_source(Direction direction, unsigned worker) = 0;
  // And the lists themselves.
  [[nodiscard]] virtual std::unique_ptr<TaskLists> task_lists(Direction direction, unsigned worker);
  // Adds the engine's frames and queues to `report.memory`, and what else it reports.
  virtual void add_own(EngineReport& report) const = 0;

  // f(worker, range) in parallel, for ranges that cover the ids up to `end`. States in files are
  // brought into memory, and removed from it, window by window.
  template <typename F>
  void for_states(VertexId end, WindowPass::Use use, const F& f);
  // Of the states' arrays in files.
  [[nodiscard]] StateWindows& windows() { return options_.states->windows(); }
  [[nodiscard]] Bitmap listeners(Program& program);
  [[nodiscard]] std::uint64_t edges_of(const Frontier& frontier, const ListIndex& index);
  [[nodiscard]] std::span<HandOver> hands() { return hands_; }  // one a worker
  // The vertices that need not be activated, though messages reach them (Traits::echoes).
  [[nodiscard]] VertexRange silent(const Traits& traits) const;
  // Activates what `run` hands over into outs[worker]; end() ends it.
  void begin(const Round& run, std::span<Activations* const> outs);
  // Sums up what was handed over, after everything that was kept back has been sent.
  HandOver::Counts end();
  // What was read and written, through all doors.
  [[nodiscard]] virtual IoCounters io() const;
  // What workers may assume about one another, and for how many vertices they combine messages.
  [[nodiscard]] Access access() const;
  [[nodiscard]] VertexId combined_vertices(const Traits& traits) const;
  // Push: takes the messages of `straddlers` (ascending), whose lists several workers read at once.
  void take_straddlers(Round& round, std::span<const VertexId> straddlers);
  // Hands over the lists of `readers`, reading each wanted block once (process_queue_block.h).
  // `queue` belongs to the engine, which may keep it; `sources` has one per worker; blocks in
  // `kept` are not read.
  void read_blocks(Round& round, const Frontier& readers, BlockQueue& queue,
                   std::span<const std::unique_ptr<BlockSource>> sources,
                   const KeptBlocks* kept = nullptr);
  // Hands over the lists of `vertices`, which stand in the index or are empty.
  void read_blockless(std::span<const VertexId> vertices);
  [[nodiscard]] std::uint32_t request_blocks() const;  // the most of one request
  [[nodiscard]] MergeLimits merge_limits(std::uint32_t max_blocks) const;
  // Frames for what is in flight, for all workers. Notes it if these are too few for --depth.
  [[nodiscard]] std::unique_ptr<WorkerFrames> open_frames();
  void note_once(const std::string& note);
  // How many requests the worker may have in flight: its share of k_r. The first worker has the
  // most.
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
  // Pull, where one message is enough: `readers` hear those of their first neighbours that the
  // layout holds in memory, and no longer read their lists if that was one.
  void hear_heads(const Round& round, Bitmap& readers);
  // How many bytes the blocks have that hold these lists, of each no more than its first `most`.
  [[nodiscard]] std::uint64_t bytes_of_lists(const Frontier& readers, Direction direction,
                                             BlockId most);
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
