// SPDX-License-Identifier: Apache-2.0
// An executor (ACGraph, section 4.2, Algorithm 1): one worker that has a ring and frames of its own
// and processes the blocks that it brought in. So a frame has one owner, and only the worklist is
// shared.
//
// Threads: belongs to its worker.
#pragma once

#include <unordered_map>
#include <vector>

#include "engines/async_block/batch_size.h"
#include "engines/async_block/prefetcher.h"
#include "engines/lists/hand_over.h"

namespace outcore {

// What an executor keeps from one run to the next. On cache lines of its own, because the
// executors' states are neighbours in memory.
struct alignas(64) ExecutorState {
  ExecutorState(unsigned executor, const FrameRing& frames) : ring(frames) {
    own.executor = executor;
  }
  std::unique_ptr<DoorChannel> channel;
  FrameRing ring;
  Worklist::Own own;  // its queues
};

class BlockExecutor {
 public:
  BlockExecutor(Run& run, ExecutorState& state, HandOver& hands, Activations& out,
                HoleBudget& holes, unsigned depth);

  // Until nothing is active, or another executor has failed.
  void work();

 private:
  // A long list under way.
  struct LongList {
    VertexId v = kNoVertex;
    ListAddress list;
    std::uint32_t left = 0;  // disk blocks to process
    bool begun = false;
    alignas(kLargestMessage) std::byte message[kLargestMessage] = {};
  };

  bool wait();  // for something to do; false at the end
  bool rest();  // while another executor goes on alone; false at the end
  void note_turn(std::uint32_t block, std::size_t spoke);
  void submit_first();
  void submit_part(std::size_t begin, std::size_t end);
  void submit_range(std::size_t begin, std::size_t end);
  void begin_residents(std::span<VertexId> residents);
  std::size_t begin_in_turn(std::span<VertexId> residents);

  bool process_next();
  void process(std::uint32_t block);
  [[nodiscard]] bool goes_on_in(std::uint32_t block) const;
  void hand_over_members(std::uint32_t block, const std::byte* data);
  std::size_t process_by_urgency(std::uint32_t block, const std::byte* data);
  void wait_in_block(std::uint32_t block);
  std::span<const std::uint32_t> soonest_of_block(std::span<std::uint32_t> room);
  // How many residents speak before the first of these is heard. Of labels the soonest alone: with
  // 64 together as many labels went along a path side by side.
  [[nodiscard]] std::size_t together() const { return run_.labels ? 1 : of_residents_.now(); }
  [[nodiscard]] bool residents_are_next() const;
  [[nodiscard]] bool awaited_is_next() const;
  bool process_residents();
  std::size_t process_and_finish(std::span<const VertexId> residents);
  std::size_t finish(std::span<const VertexId> residents);
  void process_inline(std::span<const VertexId> residents);

  BlockId begin_long(std::uint32_t block);
  void use_pieces(const WantedBlocks::Part& part, std::uint32_t frame);
  void begin_message(std::uint32_t block, LongList& list);

  // Must be called before what was processed is finished: see Worklist, termination.
  void tell();
  void deliver();

  Run& run_;
  const Assignment& assignment_;
  FrameRing& frames_;
  Worklist::Own& own_;
  HandOver& hands_;
  Activations& out_;
  Prefetcher prefetcher_;
  std::unordered_map<std::uint32_t, LongList> long_lists_;
  bool keeps_back_ = false;  // and the worklist knows
  BatchSize of_block_;
  BatchSize of_residents_;
  BatchSize of_first_;                  // of the residents that are active at first
  std::vector<std::uint32_t> members_;  // scratch
  std::vector<std::uint32_t> before_;   // scratch
  // Of the block that is being processed by urgency: its active vertices, as it numbers them, and
  // whether each still waits there (soonest_of_block).
  WaitingVertices in_block_;
  std::vector<bool> waits_;
};

}  // namespace outcore
