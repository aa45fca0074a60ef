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
// Dependent lists (drive) have no blocks to reuse: their stacks read through the same frames, which
// keep nothing meanwhile.
//
// Visibility: converge() is `immediate`, but for a search while it goes by rounds (mode `auto`).
// round() is the synchronous mode of section 4.3: what is activated goes to a second worklist, here
// the next frontier; so it is `round`.
#pragma once

#include <array>
#include <memory>

#include "engines/async_block/block_executor.h"
#include "engines/lists/list_engine.h"
#include "storage/cache/frame_pool.h"

namespace outcore {

class AsyncBlockEngine final : public ListEngine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {
      .converge = Visibility::immediate, .pull = true, .drive = true, .heads = Heads::layout};

  // Urgent blocks must already be in flight, or executors continue with less urgent ones: BFS on a
  // grid of 4096 x 4096, two executors: 158, 77 and 74 million edges in 6.2, 2.2 and 2.2 s with 64,
  // 256 and 1024 requests in flight (and 8 blocks ahead). More requests would take the frames in
  // which blocks are kept.
  static constexpr unsigned kDepth = 256;

  AsyncBlockEngine(const Layout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();
  static PublishedForm published();

  [[nodiscard]] EngineTraits traits() const override {
    EngineTraits traits = kTraits;
    if (synchronous_) traits.converge = Visibility::round;
    return traits;
  }
  void converge(Program& program, Frontier&& frontier) override;

 private:
  void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) override;
  BlockSource& list_source(Direction direction, unsigned worker) override;
  void add_own(EngineReport& report) const override;

  Worklist& worklist(Direction direction);
  // Returns what is left to do in any order.
  Frontier by_rounds_while_wide(Program& program, Frontier&& frontier);
  // Frames keep blocks of one direction at a time; null: of none.
  void keep_in_frames(Worklist* worklist);
  // Each executor's frames are a cache of its own for dependent lists, until the next round.
  void keep_lists_in_frames();
  void forget_lists();
  [[nodiscard]] bool is_wave(const Frontier& first) const;
  [[nodiscard]] std::size_t blocks_ahead(bool fresh) const;
  [[nodiscard]] std::uint32_t blocks_beside() const;
  [[nodiscard]] Company company(bool labels);
  void process_until_done(Run& run, std::span<Activations* const> outs);

  const bool synchronous_;
  const bool looks_;  // whether a search had better go by rounds
  FramePool frames_;
  std::vector<ExecutorState> states_;                   // one an executor
  std::array<std::unique_ptr<Worklist>, 2> worklists_;  // by file, once needed
  Worklist* in_frames_ = nullptr;                       // whose blocks the rings hold
  // One an executor, while lists are in the frames.
  std::vector<std::unique_ptr<BlockCache>> list_caches_;
  std::vector<std::unique_ptr<BlockSource>> list_sources_;
  CacheReport was_used_;  // by caches that are gone
};

}  // namespace outcore
