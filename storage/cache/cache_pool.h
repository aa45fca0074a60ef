// SPDX-License-Identifier: Apache-2.0
// The blocks that several threads keep in memory together: CAVE's concurrent cache pool (SIGMOD
// 2024, section 5), with CLOCK as there or any other policy of policies/.
//
// What it owns: slots of equal size in one piece of memory, which unit lies in which, and how often
// each is pinned. A pinned slot stays where it is and keeps its unit. It reads nothing: who asks
// for a unit that is not there is given a slot and reads into it, so reads may be in flight for as
// many units as there are slots, by blocking threads or over a ring.
//
//   pin(worker, unit)  ready:   the unit is in `data`
//                      load:    the slot is the caller's to fill; then publish() or fail()
//                      pending: somebody else fills it; wait() for it, or look with ready() later
//                      full:    every slot is pinned; unpin something first. Nothing was pinned.
//   publish(slot)      what was read is there. Any thread may say so, as one that reaps does.
//   fail(slot)         it could not be read. Those who wait are told, the next who asks loads anew.
//   unpin(slot)        once for each pin that was not `full`, that of load included.
//
// Who may call what: everything from any thread at once; `worker` numbers those that pin, each
// its own. A thread that waits must not hold a slot that is to be loaded by itself: load and
// publish first, then wait.
//
// Locks. As in CAVE one global lock guards the map and the policy, and is held for as long as it
// takes to find the unit or to choose whom it replaces, never while anything is read. Slots have a
// counter of pins instead of a lock, with two bits for what became of the read: pins are added
// under the global lock only, so a slot that is seen unpinned there stays so, and unpin() needs no
// lock. How long threads waited for the global lock is counted (CAVE's Fig. 6).
//
// When the policy names slots that are pinned, it is asked for another and told that their units
// were read anew. Misses with one thread, that unpins before it pins, are those of `outcore
// cachesim`.
//
// Memory: the slots, 12 bytes a slot and the policy's, 4 bytes a unit.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "storage/cache/frame_pool.h"
#include "storage/cache/policies/policy.h"

namespace outcore {

struct CachePoolOptions {
  Slot slots = 1;
  std::size_t slot_bytes = 4096;  // a multiple of the page size
  std::uint32_t units = 0;        // that may be asked for: numbers below
  unsigned workers = 1;
  const PolicyKind* policy = nullptr;
  std::uint64_t seed = 1;
};

struct CachePoolCounters {
  std::uint64_t hits = 0;       // the unit was there
  std::uint64_t joins = 0;      // somebody was reading it
  std::uint64_t loads = 0;      // it had to be read
  std::uint64_t evictions = 0;  // units that made room
  std::uint64_t spared = 0;     // victims that were pinned
  std::uint64_t refused = 0;    // every slot was pinned
  std::uint64_t waits = 0;      // times that the global lock was taken
  double waited_seconds = 0;    // for it, by all workers together
};

class CachePool {
 public:
  // Throws usage for no slot, and for policies that must know more than the past.
  explicit CachePool(const CachePoolOptions& options);

  enum class State : std::uint8_t { ready, load, pending, full };
  struct Pin {
    State state = State::full;
    Slot slot = 0;
    std::byte* data = nullptr;
  };
  Pin pin(unsigned worker, std::uint32_t unit);
  // The same of several units, one after another, as pins[i], with the lock taken once.
  void pin(unsigned worker, std::span<const std::uint32_t> units, std::span<Pin> pins);
  void publish(Slot slot);
  void fail(Slot slot);
  void unpin(Slot slot);

  // Of a pinned slot: has it been published?
  [[nodiscard]] bool ready(Slot slot) const;
  // Sleeps until it is; false when its read failed.
  [[nodiscard]] bool wait(Slot slot) const;

  // All slots, for a ring that registers its buffers; slot i begins at i * slot_bytes.
  [[nodiscard]] std::span<std::byte> memory() const { return arena_.memory(); }
  [[nodiscard]] Slot slots() const { return options_.slots; }
  // Of the map and the slots' words; the policy's own are not counted.
  [[nodiscard]] std::uint64_t map_bytes() const;
  // At any time; a sum over workers, each as of late.
  [[nodiscard]] CachePoolCounters counters() const;
  // Slots that are pinned. Exact while nobody pins.
  [[nodiscard]] std::size_t pinned() const;

 private:
  // A slot's word: pins, and what became of the read.
  static constexpr std::uint32_t kReady = 1U << 31;
  static constexpr std::uint32_t kFailed = 1U << 30;
  static constexpr std::uint32_t kPins = kFailed - 1;

  // Written by one worker, read by counters(): relaxed, for the numbers order nothing.
  struct alignas(128) Tally {
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> joins{0};
    std::atomic<std::uint64_t> loads{0};
    std::atomic<std::uint64_t> evictions{0};
    std::atomic<std::uint64_t> spared{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> waits{0};
    std::atomic<std::uint64_t> waited_ns{0};
  };

  std::unique_lock<std::mutex> lock(Tally& tally);
  // These three under the lock.
  Pin pin_one(std::uint32_t unit, Tally& tally);
  Pin join(Slot slot, Tally& tally);
  Slot free_slot(const CacheAccess& incoming, Tally& tally);
  [[nodiscard]] Pin pin_of(State state, Slot slot) const;
  void settle(Slot slot, std::uint32_t outcome);

  CachePoolOptions options_;
  FrameArena arena_;
  std::vector<std::atomic<std::uint32_t>> words_;  // by slot
  std::vector<Tally> tallies_;                     // by worker

  std::mutex mutex_;  // guards what follows
  std::unique_ptr<Policy> policy_;
  std::vector<Slot> slot_of_;           // by unit
  std::vector<std::uint32_t> unit_in_;  // by slot that was filled
  std::vector<Slot> aside_;             // victims that were pinned; empty between calls
};

}  // namespace outcore
