// SPDX-License-Identifier: Apache-2.0
// The async block-centric engine, after ACGraph (SIGMOD 2025): blocks, not vertices, are scheduled,
// and a block that is in memory is processed for as long as vertices of it are activated. There are
// no rounds and no barrier but the end.
//
// Executors (block_executor.cc, Algorithm 1) take blocks from their own cached queue, bring in
// others from the worklist by priority, read ahead of what they process (preload, section 4.5), and
// hand activations to the worklist. A list longer than a block goes through the frames in pieces,
// where the published code reads it apart from its pool.
//
// Visibility: converge() is `immediate`. round() is the synchronous mode of section 4.3: what is
// activated goes to a second worklist, here the next frontier; so it is `round`.
#pragma once

#include <array>
#include <memory>

#include "common/executor.h"
#include "common/unfilled.h"
#include "engines/async_block/frame_ring.h"
#include "engines/async_block/worklist.h"
#include "engines/engine.h"
#include "engines/layout_graph.h"
#include "storage/cache/frame_pool.h"

namespace outcore {

class AsyncBlockEngine final : public Engine {
 public:
  // What is urgent must be on its way, or executors go on with what is not: BFS on a grid of 4096 x
  // 4096, two executors: 158, 77 and 74 million edges in 6.2, 2.2 and 2.2 s with 64, 256 and 1024
  // requests in flight (and 8 blocks ahead). More take the frames that blocks are kept in.
  static constexpr unsigned kDepth = 256;

  AsyncBlockEngine(const Layout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();

  [[nodiscard]] Capabilities capabilities() const override;
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void for_each_range(const RangeFn& f) override;
  std::uint64_t edges_of(const Frontier& frontier) override;
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  void heads(unsigned k, const HeadsFn& f) override;
  [[nodiscard]] EngineReport report() const override;

 private:
  class BlockExecutor;

  // One asyncRun, or one round.
  struct Run {
    Program& program;
    std::size_t message_bytes;
    Worklist& worklist;
    const ListIndex& index;
    std::uint32_t file;
    const Frontier& first;  // what is active at first
    bool ordered = false;   // by the program's priorities; in a round no vertex is sooner
    bool again = false;     // what is processed too soon will be processed again
    bool dense = false;     // all messages lie in messages_, a slot a vertex
    bool pull = false;
    bool first_is_enough = false;
    const Bitmap* active = nullptr;  // pull: the frontier, null when everything is active
    VertexId combined = 0;  // vertices for which executors combine messages, the first of all
    // Where each executor reports what it activated: the worklist, or the next frontier.
    std::vector<Activations*> activations;
    std::atomic<std::size_t> submitted{0};  // of the first, to where executors have taken ranges
  };

  // What a user may vary beyond EngineOptions: parameters().
  struct Knobs {
    explicit Knobs(const Settings& settings);
    bool synchronous;
    std::size_t ahead;  // cached blocks above which an executor brings no more in; 0: as is best
    bool combine;
    Worklist::Rules rules;
  };

  Worklist& worklist(Direction direction);
  [[nodiscard]] VertexId combined_vertices(const Traits& traits) const;
  // Frames keep blocks of one direction at a time.
  void use(Run& run);
  void process_until_done(Run& run);

  const Layout& layout_;
  EngineOptions options_;
  Knobs knobs_;
  Graph graph_;
  Executor executor_;
  FramePool frames_;
  Door door_;
  std::vector<std::unique_ptr<DoorChannel>> channels_;  // one an executor
  std::vector<FrameRing> rings_;                        // one an executor
  std::vector<Worklist::Own> own_;                      // one an executor: its queues
  std::vector<DecodeSpace> decoded_;                    // one an executor
  std::array<std::unique_ptr<Worklist>, 2> worklists_;  // by direction, once needed
  Worklist* in_frames_ = nullptr;                       // whose blocks the rings hold
  Unfilled<std::byte> messages_;
  std::size_t combiner_bytes_ = 0;
  std::uint64_t trace_rounds_ = 0;
  EngineReport report_;
};

}  // namespace outcore
