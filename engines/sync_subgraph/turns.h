// SPDX-License-Identifier: Apache-2.0
// Turns: the ranges of vertices that workers take one after the other, each with the blocks of its
// lists, while these are being loaded.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engines/sync_subgraph/shard.h"
#include "engines/sync_subgraph/shard_loader.h"

namespace outcore {

struct Turn {
  VertexRange vertices;
  const Shards* shards = nullptr;
  Shard shard;                 // of the interval that the vertices are of
  std::size_t first_part = 0;  // the number of the shard's first part in the load
  EdgeIndex edges_before = 0;  // in the interval's shard
};

// Hands turns to workers, in order, and tells the loader which parts no worker needs any more.
class TurnQueue {
 public:
  // `end_part`: behind the parts of all turns. `part_blocks`: blocks of a part.
  TurnQueue(ShardLoader& loader, unsigned workers, std::uint32_t part_blocks)
      : loader_(loader), part_blocks_(part_blocks), reached_(workers, kNothing) {}
  // The turns of an interval, whose parts begin with number `first_part`. Before the first take().
  void add(std::span<const Turn> turns, std::size_t first_part);
  // The parts of all turns come before this one.
  void end_at(std::size_t part) { end_part_ = part; }

  // The worker's next turn; null if there is none. It does not need the parts of its last one.
  const Turn* take(unsigned worker);
  // The worker needs no parts before this one.
  void reach(unsigned worker, std::size_t part);

  [[nodiscard]] ShardLoader& loader() { return loader_; }
  [[nodiscard]] std::uint32_t part_blocks() const { return part_blocks_; }
  [[nodiscard]] std::size_t size() const { return turns_.size(); }

 private:
  static constexpr std::size_t kNothing = ~std::size_t{0};  // needed by a worker without a turn
  [[nodiscard]] std::size_t first_needed(const Turn& turn) const;
  void release();

  ShardLoader& loader_;
  std::uint32_t part_blocks_;
  std::vector<Turn> turns_;
  std::size_t end_part_ = 0;
  std::mutex mutex_;  // over what follows
  std::size_t next_ = 0;
  std::vector<std::size_t> reached_;  // by worker
};

// A worker's way to the blocks of its turn, ascending, as they come.
class TurnReader {
 public:
  TurnReader(TurnQueue& queue, const Turn& turn, unsigned worker)
      : queue_(queue), turn_(turn), worker_(worker) {}

  // Null if the load was abandoned. What was there of earlier parts is not any more.
  const std::byte* block(BlockId block);
  // Seconds in which it waited.
  [[nodiscard]] double waited() const { return waited_; }

 private:
  TurnQueue& queue_;
  const Turn& turn_;
  unsigned worker_;
  std::size_t part_ = ~std::size_t{0};
  const std::byte* data_ = nullptr;
  double waited_ = 0;
};

}  // namespace outcore
