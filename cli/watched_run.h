// SPDX-License-Identifier: Apache-2.0
// What a run does, as far as its events have told: where each block of the layout is, and the
// frontier. For a picture of so many squares, each of which stands for neighbouring blocks.
//
// Threads: hear() from the recorder's, all else from one other; a mutex orders them. A byte a
// block.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "storage/events/event_recorder.h"

namespace outcore {

// Where a block is. A square shows the last of its blocks' states in this order.
enum class BlockState : std::uint8_t { unread, gone, memory, flight, again, processed };
inline constexpr std::size_t kBlockStates = 6;

// Sums over the run so far.
struct RunSoFar {
  std::uint64_t rounds = 0;  // begun
  std::uint64_t frontier = 0;
  std::uint64_t activations = 0;  // outside of rounds
  std::uint64_t edges = 0;
  std::uint64_t arrived = 0;  // blocks
  std::uint64_t again = 0;    // of those asked for, blocks that had been read before
  unsigned sampled = 0;       // one in 2^sampled blocks is told of
};

class WatchedRun final : public EventListener {
 public:
  // `blocks` of the layout, in at most `squares`. REQUIRES: squares > 0.
  WatchedRun(std::uint64_t blocks, std::uint64_t squares);

  void hear(std::span<const Event> events) override;

  [[nodiscard]] std::uint64_t blocks() const { return blocks_.size(); }
  [[nodiscard]] std::uint64_t blocks_a_square() const { return per_square_; }
  [[nodiscard]] RunSoFar so_far() const;
  // Vertices in the frontier of each round, the first first.
  [[nodiscard]] std::vector<std::uint64_t> frontiers() const;
  // What each square shows. Blocks that were processed since the last call are shown so.
  [[nodiscard]] std::vector<BlockState> take_squares();

 private:
  struct Block {
    BlockState state : 7 = BlockState::unread;  // where it is when it is not being processed
    bool read : 1 = false;                      // before
  };
  void apply(const Event& event);
  void move(std::uint64_t block, BlockState to);
  void process(std::uint64_t block);

  mutable std::mutex mutex_;  // guards all below
  std::vector<Block> blocks_;
  std::uint64_t per_square_;
  std::vector<std::array<std::uint32_t, kBlockStates>> squares_;  // blocks in each state
  std::vector<bool> processed_;                                   // squares, since take_squares()
  std::vector<std::uint64_t> frontiers_;
  RunSoFar sums_;
};

}  // namespace outcore
