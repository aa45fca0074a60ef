// SPDX-License-Identifier: Apache-2.0
// One worker's way to the blocks that it asks for: into frames of its own, which keep nothing, or
// through CAVE's concurrent cache pool (section 5), which all workers share and which keeps blocks
// from one list, and one round, to the next.
//
// A worker takes a ticket for each request, releases the blocks when it has used them, and gives it
// back; of those that it holds, `depth` at most are under way, the others' blocks have come:
//
//   ask(ticket, file, run)   true: data(ticket) holds them; else arrived() will name the ticket
//
// Belongs to the thread that first asks. After an Error it may only be destroyed, or told to
// abandon(): what is in flight must be waited for by the thread that asked for it.
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

  // Requests that may be under way at once: this worker's share of k_r.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Tickets are below; there are as many as `depth` or more.
  [[nodiscard]] std::size_t tickets() const { return tickets_; }
  [[nodiscard]] std::size_t held() const { return tickets_ - free_.size(); }
  // How many requests more may be asked for now.
  [[nodiscard]] std::size_t room() const { return std::min(free_.size(), depth_ - coming()); }
  Ticket take() {
    const Ticket ticket = free_.back();
    free_.pop_back();
    return ticket;
  }

  // The most blocks that one request may be for.
  [[nodiscard]] virtual std::uint32_t most_blocks() const = 0;
  virtual bool ask(Ticket ticket, std::uint32_t file, const BlockRun& run) = 0;
  struct Request {
    Ticket ticket;
    BlockRun run;
  };
  // Several at once, which costs less through the cache; tickets whose data is there go to `there`.
  virtual void ask(std::span<const Request> requests, std::uint32_t file,
                   std::vector<Ticket>& there) = 0;
  [[nodiscard]] virtual const std::byte* data(Ticket ticket) const = 0;
  [[nodiscard]] virtual std::size_t coming() const = 0;
  // Those that have come. If it is to wait, at least one, unless another worker failed to read what
  // this one waited for: its error is on the way then, and the ticket was given back.
  virtual std::span<const Ticket> arrived(bool wait) = 0;
  // The blocks are not needed any more; the ticket may be asked with again.
  virtual void release(Ticket ticket) = 0;
  // Of a ticket that holds nothing.
  void give_back(Ticket ticket) { free_.push_back(ticket); }

  virtual void abandon() = 0;
  // Null once abandoned.
  [[nodiscard]] DoorChannel* channel() const { return channel_.get(); }

 protected:
  BlockSource(Door& door, std::span<std::byte> memory, std::size_t depth, std::size_t tickets);

  std::unique_ptr<DoorChannel> channel_;

 private:
  std::size_t depth_;
  std::size_t tickets_;
  std::vector<Ticket> free_;
};

// At the end of a worker's turn with a source. Something is under way then only when an error stops
// it, and the engine is of no further use.
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

// Frames of the worker's own: one for each ticket, at least `depth`.
std::unique_ptr<BlockSource> frame_source(Door& door, FrameArena& arena, std::size_t depth);

// The pool of an engine: which unit a block is, and the workers' ways to it.
class BlockCache {
 public:
  // Throws usage for less than `depth` slots: each of so many requests needs one. All sources
  // together have no more tickets than it has slots, so that one that is not pinned can be found.
  BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy, std::uint64_t bytes,
             unsigned depth, unsigned workers);

  // One block a request, as in the paper; `tickets` requests at once.
  std::unique_ptr<BlockSource> source(Door& door, unsigned worker, std::size_t tickets);
  [[nodiscard]] std::string policy() const { return std::string(policy_->name); }
  [[nodiscard]] const CachePool& pool() const { return pool_; }
  [[nodiscard]] CachePool& pool() { return pool_; }
  [[nodiscard]] std::uint32_t unit(std::uint32_t file, BlockId block) const {
    return first_unit_[file] + static_cast<std::uint32_t>(block);
  }

 private:
  const PolicyKind* policy_;
  std::vector<std::uint32_t> first_unit_;  // of each file, and behind the last one
  CachePool pool_;
};

}  // namespace outcore
