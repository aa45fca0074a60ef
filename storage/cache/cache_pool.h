// SPDX-License-Identifier: Apache-2.0
// The blocks that several threads keep in memory together: CAVE's concurrent cache pool (SIGMOD
// 2024, section 5), with CLOCK as in the paper or any other policy in policies/.
//
// The pool owns slots of equal size in one piece of memory, the map from units to slots, and the
// number of pins of each slot. A pinned slot stays where it is and keeps its unit. The pool reads
// nothing itself: a thread that asks for a unit that is not there gets a slot and reads into it. So
// as many reads may be in flight as there are slots, by blocking threads or over a ring.
//
// pin(worker, unit)  ready:   `data` holds the unit
//                    load:    the caller must fill the slot, then call publish() or fail()
//                    pending: another thread fills it; wait() for it, or ask ready() later
//                    full:    every slot is pinned; nothing was pinned. Unpin something first.
// publish(slot)      the read succeeded. Any thread may call it, for instance one that reaps reads.
// fail(slot)         the read failed. Waiting threads are told; the next pin() loads the unit anew.
// unpin(slot)        once for each pin() that did not return `full`, including `load`.
//
// Threads: any function may be called from any thread at any time. Each thread that pins has its
// own `worker` number. A thread that waits must not hold a slot that it has yet to load: load and
// publish first, then wait.
//
// Locks. As in CAVE, one global lock guards the map and the policy. It is held while a unit is
// looked up or a victim is chosen, never during a read. Instead of a lock, each slot has a counter
// of pins and two bits for the result of the read. Pins are added only under the global lock, so a
// slot that is seen unpinned under it stays unpinned; unpin() needs no lock. The time that threads
// wait for the global lock is counted (CAVE's Fig. 6).
//
// When the policy names a pinned slot, it is asked for another, and the pinned ones are inserted
// again as if their units had just been read. With one thread that unpins before it pins again, the
// pool misses exactly as `outcore cachesim` does.
//
// Memory: the slots, 12 bytes per slot, what the policy needs, and 4 bytes per unit.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "storage/cache/frame_pool.h"
#include "storage/cache/policies/policy.h"
#include "storage/events/event.h"

namespace outcore {

class EventRecorder;

struct CachePoolOptions {
  Slot slots = 1;
  std::size_t slot_bytes = 4096;  // a multiple of the page size
  std::uint32_t units = 0;        // ids of units are below this
  unsigned workers = 1;
  // The slots, if they are another's; empty: the pool's own.
  std::span<std::byte> memory = {};
  const PolicyKind* policy = nullptr;
  std::uint64_t seed = 1;
  // Notes which units are found here and which are evicted; not owned; null: no one does.
  EventRecorder* events = nullptr;
  std::uint32_t first_event_block = 0;  // of unit 0
};

struct CachePoolCounters {
  std::uint64_t hits = 0;       // the unit was there
  std::uint64_t joins = 0;      // another thread was reading it
  std::uint64_t loads = 0;      // it had to be read
  std::uint64_t evictions = 0;  // units that were evicted
  std::uint64_t spared = 0;     // victims that were pinned
  std::uint64_t refused = 0;    // every slot was pinned
  std::uint64_t waits = 0;      // how often a thread had to wait for the global lock
  double waited_seconds = 0;    // for the global lock, all workers together

  CachePoolCounters& operator+=(const CachePoolCounters& other);
};

class CachePool {
 public:
  // Throws a usage error for zero slots, and for policies that must know the future.
  explicit CachePool(const CachePoolOptions& options);

  enum class State : std::uint8_t { ready, load, pending, full };
  struct Pin {
    State state = State::full;
    Slot slot = 0;
    std::byte* data = nullptr;
  };
  Pin pin(unsigned worker, std::uint32_t unit);
  // The same for several units, in order, into pins[i]; takes the lock once.
  void pin(unsigned worker, std::span<const std::uint32_t> units, std::span<Pin> pins);
  void publish(Slot slot);
  void fail(Slot slot);
  void unpin(Slot slot);

  // REQUIRES: the slot is pinned. Has it been published?
  [[nodiscard]] bool ready(Slot slot) const;
  // Sleeps until it is published; false if its read failed.
  [[nodiscard]] bool wait(Slot slot) const;

  // All slots, for a ring that registers its buffers; slot i begins at i * slot_bytes.
  [[nodiscard]] std::span<std::byte> memory() const { return memory_; }
  [[nodiscard]] Slot slots() const { return options_.slots; }
  // Bytes of the map and the slots' words, without the policy's own.
  [[nodiscard]] std::uint64_t map_bytes() const;
  // May be called at any time; the workers' counters are not read at one instant.
  [[nodiscard]] CachePoolCounters counters() const;
  // The number of pinned slots. Exact while no thread pins or unpins.
  [[nodiscard]] std::size_t pinned() const;

 private:
  // A slot's word: the number of pins, and the result of the read.
  static constexpr std::uint32_t kReady = 1U << 31;
  static constexpr std::uint32_t kFailed = 1U << 30;
  static constexpr std::uint32_t kPins = kFailed - 1;

  // Written by one worker, read by counters(). Relaxed: the numbers order nothing else.
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
  // REQUIRES: the lock is held, for these three.
  Pin pin_one(std::uint32_t unit, Tally& tally);
  Pin join(Slot slot, Tally& tally);
  Slot free_slot(const CacheAccess& incoming, Tally& tally);
  void note(EventKind kind, std::uint32_t unit) const;
  [[nodiscard]] Pin pin_of(State state, Slot slot) const;
  void settle(Slot slot, std::uint32_t outcome);

  CachePoolOptions options_;
  std::optional<FrameArena> arena_;  // if the slots are the pool's own
  std::span<std::byte> memory_;
  std::vector<std::atomic<std::uint32_t>> words_;  // by slot
  std::vector<Tally> tallies_;                     // by worker

  std::mutex mutex_;  // guards all members below
  std::unique_ptr<Policy> policy_;
  std::vector<Slot> slot_of_;           // by unit
  std::vector<std::uint32_t> unit_in_;  // by slot, for slots that were filled
  std::vector<Slot> aside_;             // pinned victims; empty between calls
};

}  // namespace outcore
