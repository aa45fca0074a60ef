// SPDX-License-Identifier: Apache-2.0
#include "storage/source/block_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "common/error.h"
#include "common/sizes.h"
#include "storage/events/event_recorder.h"

namespace outcore {

BlockSource::BlockSource(Door& door, std::span<std::byte> memory, std::size_t depth,
                         std::size_t tickets)
    : channel_(std::make_unique<DoorChannel>(door, memory)),
      depth_(depth),
      tickets_(tickets),
      free_(tickets) {
  std::iota(free_.rbegin(), free_.rend(), Ticket{0});
}

namespace {

class FrameSource final : public BlockSource {
 public:
  FrameSource(Door& door, FrameArena& arena, std::size_t depth)
      : BlockSource(door, arena.memory(), std::min(depth, arena.slots()), arena.slots()),
        arena_(arena),
        block_bytes_(door.file(0).block_bytes),
        tags_(arena.slots()),
        arrived_(arena.slots()),
        door_(door),
        runs_(door.options().events != nullptr ? arena.slots() : 0) {}

  [[nodiscard]] std::uint32_t most_blocks() const override {
    return static_cast<std::uint32_t>(arena_.slot_bytes() / block_bytes_);
  }
  bool ask(Ticket ticket, std::uint32_t file, const BlockRun& run) override {
    // Fewer than `depth` requests are in flight, so the channel has room.
    channel_->read(file, run.first, run.blocks, frame(ticket), ticket);
    if (!runs_.empty()) runs_[ticket] = {file, run.first, run.blocks};
    return false;
  }
  void ask(std::span<const Request> requests, std::uint32_t file,
           std::vector<Ticket>& /*there*/) override {
    for (const Request& request : requests) ask(request.ticket, file, request.run);
  }
  [[nodiscard]] const std::byte* data(Ticket ticket) const override { return frame(ticket); }
  [[nodiscard]] std::size_t coming() const override { return channel_->in_flight(); }
  std::span<const Ticket> arrived(bool wait) override {
    const std::size_t count = channel_->reap(tags_, wait ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) arrived_[i] = static_cast<Ticket>(tags_[i]);
    return {arrived_.data(), count};
  }
  void abandon() override { channel_.reset(); }

  void release(Ticket ticket) override {
    if (runs_.empty()) return;
    const DoorRun& run = runs_[ticket];
    door_.options().events->note(EventKind::dropped, door_.first_event_block(run.file) + run.first,
                                 run.blocks, 0);
  }

 private:
  [[nodiscard]] std::byte* frame(Ticket ticket) const {
    return arena_.memory().data() + ticket * arena_.slot_bytes();
  }

  FrameArena& arena_;
  std::size_t block_bytes_;
  std::vector<std::uint64_t> tags_;
  std::vector<Ticket> arrived_;
  const Door& door_;
  std::vector<DoorRun> runs_;  // by ticket, for events; empty: none are noted
};

class CacheSource final : public BlockSource {
 public:
  CacheSource(BlockCache& cache, Door& door, unsigned worker, std::size_t tickets)
      : BlockSource(door, cache.pool().memory(), tickets, tickets),
        cache_(cache),
        worker_(worker),
        pins_(tickets),
        loads_(tickets, false),
        tags_(tickets) {}
  ~CacheSource() override { CacheSource::abandon(); }
  CacheSource(const CacheSource&) = delete;
  CacheSource& operator=(const CacheSource&) = delete;

  [[nodiscard]] std::uint32_t most_blocks() const override { return 1; }

  bool ask(Ticket ticket, std::uint32_t file, const BlockRun& run) override {
    const CachePool::Pin pin = cache_.pool().pin(worker_, cache_.unit(file, run.first));
    note(ticket, pin);
    if (pin.state == CachePool::State::load) load(ticket, file, run);
    return pin.state == CachePool::State::ready;
  }
  void ask(std::span<const Request> requests, std::uint32_t file,
           std::vector<Ticket>& there) override {
    units_.clear();
    for (const Request& request : requests) {
      units_.push_back(cache_.unit(file, request.run.first));
    }
    new_pins_.resize(units_.size());
    cache_.pool().pin(worker_, units_, new_pins_);
    // All pins are noted before the first read, so that abandon() knows what other workers wait
    // for.
    for (std::size_t i = 0; i < requests.size(); ++i) note(requests[i].ticket, new_pins_[i]);
    for (const auto& [ticket, run] : requests) {
      if (pins_[ticket].state == CachePool::State::load) load(ticket, file, run);
      if (pins_[ticket].state == CachePool::State::ready) there.push_back(ticket);
    }
  }
  [[nodiscard]] const std::byte* data(Ticket ticket) const override { return pins_[ticket].data; }
  [[nodiscard]] std::size_t coming() const override { return loading_ + joined_.size(); }

  std::span<const Ticket> arrived(bool wait) override {
    arrived_.clear();
    take_joined();
    wait = wait && arrived_.empty();
    if (loading_ > 0) {
      reap(wait ? 1 : 0);
    } else if (wait) {
      // No worker waits for this one now, so the worker that reads the block can finish.
      if (!cache_.pool().wait(pins_[joined_.front()].slot)) drop_joined();
      take_joined();
    }
    return arrived_;
  }

  // Tells other workers that nothing will come of what this worker was to load.
  void abandon() override {
    channel_.reset();
    for (Ticket ticket = 0; ticket < loads_.size(); ++ticket) {
      if (loads_[ticket]) cache_.pool().fail(pins_[ticket].slot);
      loads_[ticket] = false;
    }
    loading_ = 0;
  }

  void release(Ticket ticket) override { cache_.pool().unpin(pins_[ticket].slot); }

 private:
  void note(Ticket ticket, const CachePool::Pin& pin) {
    assert(pin.state != CachePool::State::full && "more tickets than slots");
    pins_[ticket] = pin;
    if (pin.state == CachePool::State::pending) joined_.push_back(ticket);
    if (pin.state != CachePool::State::load) return;
    loads_[ticket] = true;
    ++loading_;
  }
  void load(Ticket ticket, std::uint32_t file, const BlockRun& run) {
    channel_->read(file, run.first, 1, pins_[ticket].data, ticket);
  }

  void reap(std::size_t at_least) {
    const std::size_t count = channel_->reap(tags_, at_least);
    for (std::size_t i = 0; i < count; ++i) {
      const auto ticket = static_cast<Ticket>(tags_[i]);
      loads_[ticket] = false;
      --loading_;
      cache_.pool().publish(pins_[ticket].slot);
      arrived_.push_back(ticket);
    }
  }

  // Moves the tickets whose blocks other workers have read by now to arrived_.
  void take_joined() {
    std::erase_if(joined_, [&](Ticket ticket) {
      if (!cache_.pool().ready(pins_[ticket].slot)) return false;
      arrived_.push_back(ticket);
      return true;
    });
  }

  void drop_joined() {
    release(joined_.front());
    give_back(joined_.front());
    joined_.erase(joined_.begin());
  }

  BlockCache& cache_;
  unsigned worker_;
  std::vector<CachePool::Pin> pins_;  // by ticket
  std::vector<bool> loads_;           // must this worker load the ticket's slot?
  std::size_t loading_ = 0;           // number of such tickets, including those whose read failed
  std::vector<Ticket> joined_;        // tickets that another worker loads
  std::vector<std::uint64_t> tags_;
  std::vector<Ticket> arrived_;
  std::vector<std::uint32_t> units_;      // scratch
  std::vector<CachePool::Pin> new_pins_;  // scratch
};

std::vector<std::uint32_t> first_units(const Door& door, std::uint32_t files) {
  std::vector<std::uint32_t> first = {0};
  for (std::uint32_t file = 0; file < files; ++file) {
    first.push_back(first.back() + static_cast<std::uint32_t>(door.file(file).blocks()));
  }
  return first;
}

std::uint64_t slots_of(std::uint64_t bytes, std::size_t block_bytes, unsigned depth) {
  const std::uint64_t slots = bytes / block_bytes;
  if (slots < depth) {
    throw usage_error(fmt::format(
        "--frames {} hold {} blocks of {}, and {} requests in flight (k_r, --depth) need a block "
        "of the cache each: give --frames {} or more, or a lower --depth",
        bytes, slots, human_size(block_bytes), depth, depth * block_bytes));
  }
  return slots;
}

}  // namespace

std::unique_ptr<BlockSource> frame_source(Door& door, FrameArena& arena, std::size_t depth) {
  return std::make_unique<FrameSource>(door, arena, depth);
}

BlockCache::BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy,
                       std::uint64_t bytes, unsigned depth, unsigned workers)
    : BlockCache(door, files, policy,
                 Memory{slots_of(bytes, door.file(0).block_bytes, depth), {}, workers}) {}

BlockCache::BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy,
                       FrameArena& arena)
    : BlockCache(door, files, policy, Memory{arena.slots(), arena.memory(), 1}) {}

// No more slots than there are blocks.
BlockCache::BlockCache(const Door& door, std::uint32_t files, const PolicyKind& policy,
                       const Memory& memory)
    : policy_(&policy),
      first_unit_(first_units(door, files)),
      pool_({.slots = static_cast<Slot>(
                 std::min<std::uint64_t>(memory.slots, std::max(first_unit_.back(), 1U))),
             .slot_bytes = door.file(0).block_bytes,
             .units = first_unit_.back(),
             .workers = memory.workers,
             .memory = memory.bytes,
             .policy = &policy,
             .events = door.options().events,
             .first_event_block =
                 door.options().events != nullptr ? door.first_event_block(0) : 0}) {}

std::unique_ptr<BlockSource> BlockCache::source(Door& door, unsigned worker, std::size_t tickets) {
  return std::make_unique<CacheSource>(*this, door, worker, tickets);
}

}  // namespace outcore
