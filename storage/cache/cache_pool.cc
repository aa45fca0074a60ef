// SPDX-License-Identifier: Apache-2.0
#include "storage/cache/cache_pool.h"

#include <fmt/format.h>

#include <cassert>
#include <chrono>
#include <limits>

#include "common/error.h"
#include "common/spin_pause.h"
#include "storage/events/event_recorder.h"

namespace outcore {

namespace {

constexpr int kSpins = 100;
constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();

void count(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

CachePoolOptions checked(const CachePoolOptions& options) {
  if (options.slots == 0) throw usage_error("a cache pool holds at least one block");
  if (options.policy->knows != Knowledge::past) {
    throw usage_error(fmt::format("a cache pool cannot evict by {}, which has to know the future",
                                  options.policy->name));
  }
  return options;
}

}  // namespace

CachePool::CachePool(const CachePoolOptions& options)
    : options_(checked(options)),
      words_(options.slots),
      tallies_(options.workers),
      policy_(options.policy->make({.slots = options.slots, .seed = options.seed})),
      slot_of_(options.units, kNoSlot) {
  unit_in_.reserve(options.slots);
  memory_ = options.memory.empty() ? arena_.emplace(options.slots, options.slot_bytes, 0).memory()
                                   : options.memory;
}

std::unique_lock<std::mutex> CachePool::lock(Tally& tally) {
  std::unique_lock<std::mutex> held(mutex_, std::try_to_lock);
  if (held.owns_lock()) return held;
  count(tally.waits);
  const auto start = std::chrono::steady_clock::now();
  // The holder keeps the lock for less time than it takes to go to sleep, so spin first.
  for (int i = 0; i < kSpins && !held.try_lock(); ++i) spin_pause();
  if (!held.owns_lock()) held.lock();
  const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - start;
  tally.waited_ns.fetch_add(static_cast<std::uint64_t>(waited.count()), std::memory_order_relaxed);
  return held;
}

CachePool::Pin CachePool::pin(unsigned worker, std::uint32_t unit) {
  Pin pin;
  this->pin(worker, {&unit, 1}, {&pin, 1});
  return pin;
}

void CachePool::pin(unsigned worker, std::span<const std::uint32_t> units, std::span<Pin> pins) {
  assert(worker < options_.workers && units.size() == pins.size());
  Tally& tally = tallies_[worker];
  const auto held = lock(tally);
  for (std::size_t i = 0; i < units.size(); ++i) pins[i] = pin_one(units[i], tally);
}

CachePool::Pin CachePool::pin_one(std::uint32_t unit, Tally& tally) {
  assert(unit < options_.units);
  const CacheAccess access{unit};
  if (slot_of_[unit] != kNoSlot) {
    policy_->hit(slot_of_[unit], access);
    return join(slot_of_[unit], tally);
  }
  const Slot slot = free_slot(access, tally);
  if (slot == kNoSlot) {
    count(tally.refused);
    return {};
  }
  count(tally.loads);
  slot_of_[unit] = slot;
  unit_in_[slot] = unit;
  policy_->insert(slot, access);
  // Relaxed: other threads find the slot in the map, under the lock.
  words_[slot].store(1, std::memory_order_relaxed);
  return pin_of(State::load, slot);
}

CachePool::Pin CachePool::join(Slot slot, Tally& tally) {
  // Acquire: pairs with settle()'s release, so a thread that sees kReady sees what was read.
  const std::uint32_t word = words_[slot].fetch_add(1, std::memory_order_acquire);
  const bool there = (word & kReady) != 0;
  count(there ? tally.hits : tally.joins);
  if (there) note(EventKind::kept, unit_in_[slot]);
  return pin_of(there ? State::ready : State::pending, slot);
}

// Empties a slot for `incoming` that has no pins; kNoSlot if every slot is pinned.
Slot CachePool::free_slot(const CacheAccess& incoming, Tally& tally) {
  if (unit_in_.size() < options_.slots) {
    unit_in_.push_back(incoming.unit);
    return static_cast<Slot>(unit_in_.size() - 1);
  }
  // Pinned victims are set aside until an unpinned one is found or no slot is left.
  Slot found = kNoSlot;
  while (found == kNoSlot && aside_.size() < options_.slots) {
    const Slot slot = policy_->victim(incoming);
    // Acquire: pairs with unpin()'s release; the last readers are done before the slot is
    // overwritten.
    const std::uint32_t word = words_[slot].load(std::memory_order_acquire);
    ((word & kPins) == 0 ? found : aside_.emplace_back()) = slot;
  }
  for (const Slot slot : aside_) {
    count(tally.spared);
    policy_->insert(slot, {unit_in_[slot]});
  }
  aside_.clear();
  if (found == kNoSlot) return kNoSlot;
  Slot& place = slot_of_[unit_in_[found]];
  if (place == found) {  // else its read failed, and its unit is elsewhere by now
    place = kNoSlot;
    count(tally.evictions);
    note(EventKind::dropped, unit_in_[found]);
  }
  return found;
}

void CachePool::note(EventKind kind, std::uint32_t unit) const {
  if (options_.events == nullptr) return;
  options_.events->note(kind, options_.first_event_block + unit, 1, 0);
}

CachePool::Pin CachePool::pin_of(State state, Slot slot) const {
  return {state, slot, memory_.data() + std::size_t{slot} * options_.slot_bytes};
}

void CachePool::publish(Slot slot) { settle(slot, kReady); }

void CachePool::fail(Slot slot) {
  {
    const std::lock_guard held(mutex_);
    slot_of_[unit_in_[slot]] = kNoSlot;
  }
  settle(slot, kFailed);
}

void CachePool::settle(Slot slot, std::uint32_t outcome) {
  // Release: a thread that sees the bit also sees what was read.
  words_[slot].fetch_or(outcome, std::memory_order_release);
  words_[slot].notify_all();
}

void CachePool::unpin(Slot slot) {
  // Release: this thread's reads of the slot come before another thread overwrites it.
  [[maybe_unused]] const std::uint32_t word = words_[slot].fetch_sub(1, std::memory_order_release);
  assert((word & kPins) > 0 && "unpinned more often than pinned");
}

bool CachePool::ready(Slot slot) const {
  return (words_[slot].load(std::memory_order_acquire) & kReady) != 0;
}

bool CachePool::wait(Slot slot) const {
  for (;;) {
    const std::uint32_t word = words_[slot].load(std::memory_order_acquire);
    if ((word & (kReady | kFailed)) != 0) return (word & kReady) != 0;
    words_[slot].wait(word, std::memory_order_acquire);  // also returns when pins change
  }
}

CachePoolCounters& CachePoolCounters::operator+=(const CachePoolCounters& other) {
  hits += other.hits;
  joins += other.joins;
  loads += other.loads;
  evictions += other.evictions;
  spared += other.spared;
  refused += other.refused;
  waits += other.waits;
  waited_seconds += other.waited_seconds;
  return *this;
}

CachePoolCounters CachePool::counters() const {
  CachePoolCounters sum;
  const auto of = [](const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  for (const Tally& tally : tallies_) {
    sum.hits += of(tally.hits);
    sum.joins += of(tally.joins);
    sum.loads += of(tally.loads);
    sum.evictions += of(tally.evictions);
    sum.spared += of(tally.spared);
    sum.refused += of(tally.refused);
    sum.waits += of(tally.waits);
    sum.waited_seconds += static_cast<double>(of(tally.waited_ns)) / 1e9;
  }
  return sum;
}

std::uint64_t CachePool::map_bytes() const {
  return words_.size() * sizeof(std::uint32_t) + slot_of_.size() * sizeof(Slot) +
         unit_in_.capacity() * sizeof(std::uint32_t);
}

std::size_t CachePool::pinned() const {
  std::size_t slots = 0;
  for (const auto& word : words_) {
    slots += (word.load(std::memory_order_relaxed) & kPins) != 0 ? 1 : 0;
  }
  return slots;
}

}  // namespace outcore
