// SPDX-License-Identifier: Apache-2.0
// The concurrent engine, after CAVE (SIGMOD 2024): synchronous rounds over blocks, with as many
// independent reads under way as the device serves at once (k_r, `depth`).
//
// A round finds the blocks that hold the frontier's lists (BlockQueue), merges neighbours into
// requests, and lets every worker keep its share of k_r in flight; a block is processed, for all of
// its vertices, by the worker that read it. So no block is read twice in a round (CAVE's
// ProcessQueueBlock, section 4.2). With the parameter `queue=vertices` it goes vertex by vertex
// instead (ProcessQueue): a list a request. Where the paper uses k_r threads with blocking reads,
// requests are in flight over io_uring with as many workers as cores; the backend `threads` is the
// paper's form.
//
// Frames are buffers for what is in flight, and nothing is kept between rounds: CAVE's figure 7
// shows the blocked form to be unaffected by the size of its cache. With the parameter `cache` they
// are the slots of its concurrent cache pool instead (section 5), a block each, which all workers
// share.
//
// Dependent lists (drive) are its inter-subgraph half (section 4.7): k_r stacks are alive at most,
// each with one request in flight, on as many workers as cores.
//
// Visibility: `round`. A list that lies in several blocks has its message taken before the round's
// first block; so has every list where emit reads what accept writes (labels). Left to choose, it
// pulls when everything is active, which needs no atomics.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "common/executor.h"
#include "common/unfilled.h"
#include "engines/concurrent/block_queue.h"
#include "engines/concurrent/block_source.h"
#include "engines/concurrent/list_read.h"
#include "engines/concurrent/vertex_queue.h"
#include "engines/engine.h"
#include "engines/layout_graph.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/merge.h"

namespace outcore {

class ConcurrentEngine final : public Engine {
 public:
  ConcurrentEngine(const Layout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();

  [[nodiscard]] Capabilities capabilities() const override;
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void for_each_range(const RangeFn& f) override;
  std::uint64_t edges_of(const Frontier& frontier) override;
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  void heads(unsigned k, const HeadsFn& f) override;
  void drive(TaskProgram& program, std::span<const Task> tasks) override;
  [[nodiscard]] EngineReport report() const override;

 private:
  class Reader;       // one worker's half of ProcessQueueBlock: reads runs, hands over their blocks
  class ListReader;   // and of ProcessQueue: reads lists
  class StackRunner;  // one worker's share of the stacks of drive()

  // What the workers of one round share.
  struct Round {
    Program& program;
    Traits traits;
    bool pull;
    const Bitmap* active;    // pull: the frontier, null when everything is active
    const ListIndex& index;  // whose lists are read
    std::uint32_t file;
    std::vector<BlockRun> runs;
    // Of each run, the place of its first wanted block in the queue; then the queue's end. Those of
    // run i are [first_queued[i], first_queued[i + 1]), and with holes not all of its blocks.
    std::vector<std::size_t> first_queued;
    std::vector<Collector>& collectors;
    std::atomic<std::size_t> next_turn{0};
    std::uint64_t blocks = 0;  // asked for
    std::uint64_t edges = 0;   // of the lists
  };

  static constexpr std::size_t kBatch = 64;  // vertices a call of scatter or gather
  // What a worker hands over. Made once: a block may hold the list of one active vertex only.
  struct Batch {
    std::array<Piece, kBatch> pieces;
    std::array<Piece, kBatch>
        whole;  // those of them that are whole lists, whose messages are taken
    std::array<Source, kBatch> sources;
  };

  void take_all_messages(Round& round, const Frontier& frontier, const ListIndex& index);
  [[nodiscard]] Messages dense_messages(const Traits& traits) {
    return {messages_.data(), traits.message_bytes};
  }
  // The lists of `readers`, block by block or vertex by vertex.
  void go_by_blocks(Round& round, const Frontier& readers);
  void go_by_vertices(Round& round, const Frontier& readers);
  void take_straddlers(Round& round);
  void hear_blockless(Round& round, std::span<const VertexId> vertices);
  void process_queue(Round& round);
  void process_queue_block(Round& round);
  // Are so few edges left out of the lists of `frontier` that to read these, too, costs less than
  // to leave them out?
  bool nearly_everything(const Frontier& frontier);
  void report_round(const Round& round, std::size_t active, const IoCounters& before,
                    double seconds);
  void open_sources();
  [[nodiscard]] IoCounters io() const;  // so far; not while workers are at work
  // The runs that a round reads.
  void merge_queue(Round& round);
  // To the trace, if one is wanted: a round begins; blocks are asked for, those of holes are not.
  void begin_noted_round();
  void note_run(unsigned worker, const Round& round, std::size_t run);
  // Bytes of the block that were used.
  std::uint64_t process_block(Round& round, unsigned worker, std::size_t queued,
                              const std::byte* data);
  void scatter_block(Round& round, unsigned worker, std::span<const Piece> pieces);
  void gather_block(const Round& round, std::span<const Piece> pieces, Activations& out);

  const Layout& layout_;
  EngineOptions options_;
  Graph graph_;
  Executor executor_;
  Door door_;
  // One of them holds the blocks.
  std::optional<FramePool> frames_;
  std::optional<BlockCache> cache_;
  std::vector<std::unique_ptr<BlockSource>> sources_;  // one a worker
  std::vector<DecodeSpace> decoded_;                   // one a worker
  std::vector<Batch> batches_;                         // likewise
  Frontier spare_;  // the last one, empty: a round of few vertices should not clear a bit for each
  bool by_vertices_ = false;
  BlockQueue queue_;
  HoleBudget hole_budget_;
  VertexQueue vertex_queue_;
  Unfilled<std::byte> messages_;  // dense: a slot per vertex; else a slot per straddler
  bool dense_messages_ = false;
  std::uint64_t trace_rounds_ = 0;
  EngineReport report_;
};

}  // namespace outcore
