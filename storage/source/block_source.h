// SPDX-License-Identifier: Apache-2.0
// One worker's access to the blocks that it asks for: into its own frames, which keep nothing, or
// through CAVE's concurrent cache pool (section 5), which all workers share and which keeps blocks
// from one list, and one round, to the next.
//
// A worker takes a ticket for each request, releases the blocks when it has used them, and returns
// the ticket. Of the tickets that it holds, at most `depth` are in flight; the blocks of the others
// have arrived:
//
//   ask(ticket, file, run)   true: data(ticket) holds them; else arrived() will return the ticket
//
// Belongs to the thread that first asks. After an Error it may only be destroyed or abandoned: the
// thread that asked for what is in flight must wait for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "storage/cache/cache_pool.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/door.h"
#include "storage/io/merge.h"

namespace outcore {

class BlockSource {
 public:
  using Ticket = std::uint32_t;

  virtual ~BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;

  // Requests that may be in flight at once: this worker's share of k_r.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Tickets are below this; there are at least `depth` of them.
  [[nodiscard]] std::size_t tickets() const { return tickets_; }
  [[nodiscard]] std::size_t held() const { return tickets_ - free_.size(); }
  // How many more requests are possible now.
  [[nodiscard]] std::size_t room() const { return std::min(free_.size(), depth_ - coming()); }
  Ticket take() {
    const Ticket ticket = free_.back();
    free_.pop_back();
    return ticket;
  }

  // The largest number of blocks in one request.
  [[nodiscard]] virtual std::uint32_t most_blocks() const = 0;
  virtual bool ask(Ticket ticket, std::uint32_t file, const BlockRun& run) = 0;
  struct Request {
    Ticket ticket;
    BlockRun run;
  };
  // Several requests at once, which is cheaper with the cache. Tickets whose data is there are
  // added to `there`.
  virtual void ask(std::span<const Request> requests, std::uint32_t file,
                   std::vector<Ticket>& there) = 0;
  [[nodiscard]] virtual const std::byte* data(Ticket ticket) const = 0;
  [[nodiscard]] virtual std::size_t coming() const = 0;
  // The tickets that have arrived. With `wait` at least one, unless another worker failed to read
  // what this one waited for: then that worker's error is on its way, and the ticket has been
  // returned.
  virtual std::span<const Ticket> arrived(bool wait) = 0;
  // The blocks are no longer needed. The ticket can be used to ask again.
  virtual void release(Ticket ticket) = 0;
  // REQUIRES: the ticket holds nothing.
  void give_back(Ticket ticket) { free_.push_back(ticket); }

  virtual void abandon() = 0;
  // Null after abandon().
  [[nodiscard]] DoorChannel* channel() const { return channel_.get(); }

 protected:
  BlockSource(Door& door, std::span<std::byte> memory, std::size_t depth, std::size_t tickets);

  std::unique_ptr<DoorChannel> channel_;

 private:
  std::size_t depth_;
  std::size_t tickets_;
  std::vector<Ticket> free_;
};

// For the end of a worker's use of a source. Requests are then in flight only if an error ended it,
// after which the engine is useless.
class AbandonAtEnd {
 public:
  explicit AbandonAtEnd(BlockSource& source) : source_(source) {}
  ~AbandonAtEnd() {
    if (source_.coming() > 0) source_.abandon();
  }
  AbandonAtEnd(const AbandonAtEnd&) = delete;
  AbandonAtEnd& operator=(const AbandonAtEnd&) = delete;

 private:
  BlockSource& source_;
};

// Uses the worker's own frames: one per ticket, at least `depth`.
std::unique_ptr<BlockSource> frame_source(Door& door, FrameArena& arena, std::size_t depth);

// The cache pool of an engine: the unit of each block, and the workers' sources.
class BlockCache {
 public:
  // Throws a usage error for fewer than `depth` slots: each request in flight needs one. All
  // sources together have no more tickets than there are slots, so an unpinned slot can always be
  // found.
  BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy, std::uint64_t bytes,
             unsigned depth, unsigned workers);

  // A worker's own, of all slots of the arena.
  BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy, FrameArena& arena);

  // One block per request, as in the paper; `tickets` requests at once.
  std::unique_ptr<BlockSource> source(Door& door, unsigned worker, std::size_t tickets);
  [[nodiscard]] std::string policy() const { return std::string(policy_->name); }
  [[nodiscard]] const CachePool& pool() const { return pool_; }
  [[nodiscard]] CachePool& pool() { return pool_; }
  [[nodiscard]] std::uint32_t unit(std::uint32_t file, BlockId block) const {
    return first_unit_[file] + static_cast<std::uint32_t>(block);
  }

 private:
  struct Memory {
    std::uint64_t slots;
    std::span<std::byte> bytes;  // empty: the pool's own
    unsigned workers;
  };
  BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy, const Memory& memory);

  const PolicyKind* policy_;
  std::vector<std::uint32_t> first_unit_;  // of each file, and after the last one
  CachePool pool_;
};

}  // namespace outcore
