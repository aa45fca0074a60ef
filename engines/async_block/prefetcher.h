// SPDX-License-Identifier: Apache-2.0
// Brings the data of blocks into one executor's frames (preload, section 4.5). It pulls blocks from
// the worklist, requests what they need with as few requests as their places in the file allow, and
// gives each block its frame when it has arrived. Blocks stay in their frames. Pieces of long lists
// are passed to the caller, who uses them before their frames are taken for something else.
//
// Threads: belongs to the executor. If an error stops it, the thread that made the requests must
// wait for them; the engine is then useless, so its channel is destroyed.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engines/async_block/frame_ring.h"
#include "engines/async_block/run.h"
#include "engines/async_block/wanted_blocks.h"
#include "storage/io/door.h"

namespace outcore {

class Prefetcher {
 public:
  using Part = WantedBlocks::Part;
  // A long list is wanted: returns the end of the disk blocks that hold it, from its position on.
  using BeginLong = std::function<BlockId(std::uint32_t block)>;
  // These disk blocks of a long list lie in neighbouring frames, of which this is the first.
  using UsePieces = std::function<void(const Part& part, std::uint32_t frame)>;

  // `depth`: requests in flight, at most.
  Prefetcher(Run& run, FrameRing& frames, Worklist::Own& own, std::unique_ptr<DoorChannel>& channel,
             HoleBudget& holes, unsigned depth, BeginLong begin_long, UsePieces use_pieces);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Takes what has come, then asks for more: blocks while few are at hand and, if order matters,
  // some that are waited for and more urgent than these.
  void preload(bool order_matters);
  // Waits for so many requests at least.
  void collect(std::size_t at_least);
  // Asks for what was taken from the worklist and is not under way yet, as far as there are frames.
  void ask_for_rest();
  [[nodiscard]] bool is_reading() const { return channel_->in_flight() > 0; }
  // Is there a block for which no frame was free?
  [[nodiscard]] bool waits_for_frames() const { return !wanted_.empty(); }
  // The priority of the most urgent block that is wanted or under way, of those that are waited
  // for.
  [[nodiscard]] Priority soonest() const {
    Priority soonest = wanted_.soonest();
    for (const Arrival& arrival : arrivals_) soonest = std::min(soonest, arrival.soonest);
    return soonest;
  }
  // The rest of the block is not needed. Returns how many disk blocks were not asked for yet.
  std::uint32_t forget(std::uint32_t block) { return wanted_.forget(block); }

 private:
  // A request that is in flight.
  struct Arrival {
    BlockId first = 0;  // disk block
    std::uint32_t blocks = 0;
    std::uint32_t frame = 0;  // of the first
    Priority soonest = kQuiet;
    std::vector<Part> parts;
  };

  [[nodiscard]] bool has_room() const { return channel_->in_flight() < depth_; }
  [[nodiscard]] std::size_t frames_left() const;
  void want(std::uint32_t block);
  void ask();
  // The run with further blocks on both sides of it for as long as f(block), at most `most`. Not
  // across a multiple of the longest request, so that a wave that goes back through the file asks
  // for as many as one that goes forward.
  template <typename F>
  [[nodiscard]] BlockRun widened(BlockRun run, std::uint32_t most, F&& f) const;
  [[nodiscard]] std::uint32_t blocks_ahead(const BlockRun& run) const;
  void read_ahead(BlockRun& run, std::uint32_t most, std::vector<Part>& parts);
  void receive(std::uint32_t number);
  void keep_holes(const Arrival& arrival);

  Run& run_;
  FrameRing& frames_;
  Worklist::Own& own_;
  std::unique_ptr<DoorChannel>& channel_;
  HoleBudget& holes_;
  unsigned depth_;
  std::size_t under_way_ = 0;   // blocks
  bool order_matters_ = false;  // to the executor, by its last call
  BeginLong begin_long_;
  UsePieces use_pieces_;
  WantedBlocks wanted_;
  std::vector<Arrival> arrivals_;
  std::vector<std::uint32_t> free_arrivals_;
  std::vector<std::uint64_t> tags_;    // scratch
  std::vector<std::uint32_t> pulled_;  // scratch
};

}  // namespace outcore
