// SPDX-License-Identifier: Apache-2.0
// The concurrent engine, after CAVE (SIGMOD 2024): synchronous rounds over blocks, with as many
// independent reads under way as the device serves at once (k_r, `depth`).
//
// A round finds the blocks that hold the frontier's lists (BlockQueue) and reads each of them once
// (lists/process_queue_block.h, section 4.2). With the parameter `queue=vertices` it goes vertex by
// vertex instead, a list a request. Where the paper uses k_r threads with blocking reads, requests
// are in flight over io_uring with as many workers as cores; the backend `threads` is the paper's
// form.
//
// Frames are buffers for what is in flight, and nothing is kept between rounds: CAVE's figure 7
// shows that the size of its cache does not affect the blocked form. But after some rounds that
// want few blocks, as of a wave through a grid, which wants those of the round before, frames are
// the slots of CAVE's concurrent cache pool (section 5), one block each, shared by all workers;
// until a round wants many. The parameter `cache` makes them either for the whole run.
//
// Dependent lists (drive) are its inter-subgraph half (section 4.7). For them frames are a cache
// from the first list on, as one list is often in the block of another.
//
// Visibility: `round`. If a list is in several blocks, its message is taken before the round's
// first block; so is every message if emit reads what accept writes (labels).
#pragma once

#include <memory>
#include <optional>

#include "engines/lists/block_queue.h"
#include "engines/lists/list_engine.h"

namespace outcore {

class ConcurrentEngine final : public ListEngine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {.pull = true, .drive = true, .heads = Heads::layout};

  ConcurrentEngine(const Layout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();
  static PublishedForm published();

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }

 private:
  void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) override;
  BlockSource& list_source(Direction direction, unsigned worker) override;
  void add_own(EngineReport& report) const override;

  [[nodiscard]] std::span<const std::unique_ptr<BlockSource>> sources() const {
    return frames_ ? frames_->sources() : cached_;
  }
  void read_vertices(Round& round, const Frontier& readers);

  void use_buffers();
  void use_cache(const PolicyKind& policy, unsigned depth);
  void use_clock();
  void choose_frames(const Round& round, const Frontier& readers);
  [[nodiscard]] std::uint64_t cache_slots() const;
  // Whether a cache holds what the round wants.
  [[nodiscard]] bool fits_cache(const Round& round, const Frontier& readers);

  bool looks_;    // whether a round's frames may become a cache, and buffers again
  bool chooses_;  // whether those of dependent lists may
  // Rounds, one after another, that fit a cache, and those in which also few vertices read.
  unsigned fitting_ = 0;
  unsigned few_ = 0;
  CacheReport was_used_;  // with the counters of caches that are gone
  // One of them holds the blocks.
  std::unique_ptr<WorkerFrames> frames_;
  std::optional<BlockCache> cache_;
  std::vector<std::unique_ptr<BlockSource>> cached_;  // one a worker
  bool by_vertices_;
  BlockQueue queue_;
  std::vector<VertexId> listed_;     // vertex by vertex: whose lists lie in blocks
  std::vector<VertexId> blockless_;  // and in none
};

}  // namespace outcore
