// SPDX-License-Identifier: Apache-2.0
#include "storage/cache/cache_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "common/error.h"
#include "common/hash.h"
#include "storage/cachesim/policy_replay.h"

namespace outcore {
namespace {

using State = CachePool::State;

CachePoolOptions options(Slot slots, std::uint32_t units, unsigned workers = 1,
                         const std::string& policy = "clock") {
  return {.slots = slots, .units = units, .workers = workers, .policy = &find_policy(policy)};
}

TEST(CachePool, AUnitIsLoadedOnceAndThenThere) {
  CachePool pool(options(2, 10));
  const auto first = pool.pin(0, 7);
  EXPECT_EQ(first.state, State::load);
  EXPECT_FALSE(pool.ready(first.slot));
  const auto second = pool.pin(0, 7);
  EXPECT_EQ(second.state, State::pending);
  EXPECT_EQ(second.slot, first.slot);
  std::memcpy(first.data, "seven", 6);
  pool.publish(first.slot);
  EXPECT_TRUE(pool.wait(second.slot));
  const auto third = pool.pin(0, 7);
  EXPECT_EQ(third.state, State::ready);
  EXPECT_STREQ(reinterpret_cast<const char*>(third.data), "seven");
  for (int i = 0; i < 3; ++i) pool.unpin(first.slot);
  EXPECT_EQ(pool.pinned(), 0U);
  const CachePoolCounters counters = pool.counters();
  EXPECT_EQ(counters.loads, 1U);
  EXPECT_EQ(counters.joins, 1U);
  EXPECT_EQ(counters.hits, 1U);
  EXPECT_EQ(counters.waits, 0U);
}

TEST(CachePool, WhatIsPinnedStays) {
  for (const std::string policy : {"clock", "lru", "fifo", "s3fifo", "arc"}) {
    CachePool pool(options(3, 100, 1, policy));
    const auto pinned = pool.pin(0, 0);
    pool.publish(pinned.slot);
    for (std::uint32_t unit = 1; unit < 50; ++unit) {
      const auto other = pool.pin(0, unit);
      ASSERT_EQ(other.state, State::load) << policy;
      ASSERT_NE(other.slot, pinned.slot) << policy;
      pool.publish(other.slot);
      pool.unpin(other.slot);
    }
    EXPECT_EQ(pool.pin(0, 0).state, State::ready) << policy;
    EXPECT_GT(pool.counters().spared, 0U) << policy;
  }
}

TEST(CachePool, FullWhenEverySlotIsPinned) {
  CachePool pool(options(2, 10));
  const auto first = pool.pin(0, 1);
  const auto second = pool.pin(0, 2);
  EXPECT_EQ(pool.pin(0, 3).state, State::full);
  EXPECT_EQ(pool.counters().refused, 1U);
  EXPECT_EQ(pool.pin(0, 2).state, State::pending);
  pool.unpin(second.slot);
  pool.unpin(second.slot);
  const auto third = pool.pin(0, 3);
  EXPECT_EQ(third.state, State::load);
  EXPECT_EQ(third.slot, second.slot);
  EXPECT_NE(third.slot, first.slot);
}

TEST(CachePool, SeveralArePinnedOneAfterAnother) {
  CachePool pool(options(3, 10));
  const std::vector<std::uint32_t> units = {4, 5, 4, 6, 7};
  std::vector<CachePool::Pin> pins(units.size());
  pool.pin(0, units, pins);
  std::vector<State> states;
  for (const CachePool::Pin& pin : pins) states.push_back(pin.state);
  EXPECT_THAT(states, testing::ElementsAre(State::load, State::load, State::pending, State::load,
                                           State::full));
  EXPECT_EQ(pins[2].slot, pins[0].slot);
  EXPECT_EQ(pool.pinned(), 3U);
}

TEST(CachePool, AFailedReadIsToldAndTriedAnew) {
  CachePool pool(options(1, 10));
  const auto loading = pool.pin(0, 4);
  const auto waiting = pool.pin(0, 4);
  pool.fail(loading.slot);
  EXPECT_FALSE(pool.wait(waiting.slot));
  EXPECT_EQ(pool.pin(0, 4).state, State::full);  // both pins still hold the only slot
  pool.unpin(loading.slot);
  pool.unpin(waiting.slot);
  const auto again = pool.pin(0, 4);
  EXPECT_EQ(again.state, State::load);
  EXPECT_FALSE(pool.ready(again.slot));
  pool.publish(again.slot);
  EXPECT_TRUE(pool.wait(again.slot));
}

TEST(CachePool, WhatCannotBeIsRefused) {
  EXPECT_THROW(CachePool(options(0, 10)), Error);
  EXPECT_THROW(CachePool(options(2, 10, 1, "opt")), Error);
  EXPECT_THROW(CachePool(options(2, 10, 1, "sub")), Error);
}

TEST(CachePool, OneThreadMissesWhatTheSimulatorSays) {
  std::mt19937 random(9);
  AccessChunk chunk;
  for (int i = 0; i < 20000; ++i) {
    chunk.units.push_back(static_cast<std::uint32_t>(random() % (1 + random() % 300)));
  }
  for (const std::string policy : {"clock", "lru", "fifo", "s3fifo", "arc"}) {
    for (const Slot slots : {1, 7, 60, 400}) {
      CachePool pool(options(slots, 300, 1, policy));
      for (const std::uint32_t unit : chunk.units) {
        const auto pin = pool.pin(0, unit);
        if (pin.state == State::load) pool.publish(pin.slot);
        pool.unpin(pin.slot);
      }
      PolicyReplay replay(find_policy(policy), {.slots = slots});
      replay.replay(chunk);
      EXPECT_EQ(pool.counters().loads, replay.misses()) << policy << ", " << slots;
      EXPECT_EQ(pool.counters().hits + pool.counters().loads, chunk.units.size());
    }
  }
}

// Each worker pins random units, several at a time, loads those that it is told to load (sometimes
// with a failure), and checks that each pin holds the unit it asked for. The pool is smaller than
// the number of units, so slots change hands all the time.
class PoolWorker {
 public:
  PoolWorker(CachePool& pool, unsigned worker, std::uint32_t units)
      : pool_(pool), worker_(worker), units_(units) {}

  void work(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      Held held[3];
      std::size_t pinned = 0;
      for (; pinned < 3; ++pinned) {
        held[pinned] = take();
        if (held[pinned].pin.state == State::full) break;
      }
      for (std::size_t i = 0; i < pinned; ++i) use(held[i]);
      for (std::size_t i = 0; i < pinned; ++i) pool_.unpin(held[i].pin.slot);
    }
  }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }

 private:
  struct Held {
    std::uint32_t unit;
    CachePool::Pin pin;
  };

  std::uint64_t chance() { return mix(std::uint64_t{worker_} << 32 | ++draws_); }

  // Loads at once, so that no thread waits for a slot whose loader is waiting itself.
  Held take() {
    const auto unit = static_cast<std::uint32_t>(chance() % (1 + chance() % units_));
    const auto pin = pool_.pin(worker_, unit);
    if (pin.state != State::load) return {unit, pin};
    if (chance() % 50 == 0) {
      ++failed_;
      pool_.fail(pin.slot);
    } else {
      for (std::size_t i = 0; i < 4096; i += 512) std::memcpy(pin.data + i, &unit, sizeof(unit));
      pool_.publish(pin.slot);
    }
    return {unit, pin};
  }

  void use(const Held& held) {
    if (!pool_.wait(held.pin.slot)) return;
    for (std::size_t i = 0; i < 4096; i += 512) {
      std::uint32_t found = 0;
      std::memcpy(&found, held.pin.data + i, sizeof(found));
      wrong_ += found != held.unit ? 1 : 0;
    }
  }

  CachePool& pool_;
  unsigned worker_;
  std::uint32_t units_;
  std::uint64_t draws_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t failed_ = 0;
};

TEST(CachePool, ManyThreadsSeeWhatTheyAskedForAndLoseNoPin) {
  constexpr std::uint32_t kUnits = 60;
  constexpr Slot kSlots = 16;
  for (const std::string policy : {"clock", "lru", "arc"}) {
    for (const unsigned workers : {2U, 4U, 8U}) {
      CachePool pool(options(kSlots, kUnits, workers, policy));
      std::vector<PoolWorker> states;
      for (unsigned i = 0; i < workers; ++i) states.emplace_back(pool, i, kUnits);
      {
        std::vector<std::jthread> threads;
        for (auto& state : states) threads.emplace_back([&] { state.work(2000); });
      }
      std::uint64_t failed = 0;
      for (const auto& state : states) {
        EXPECT_EQ(state.wrong(), 0U) << policy;
        failed += state.failed();
      }
      EXPECT_GT(failed, 0U);
      EXPECT_EQ(pool.pinned(), 0U) << policy;
      // No unit is in two slots: as many units as there are slots can be pinned, each in its own.
      std::vector<bool> taken(kSlots, false);
      for (std::uint32_t unit = 0; unit < kSlots; ++unit) {
        const auto pin = pool.pin(0, unit);
        ASSERT_NE(pin.state, State::full);
        EXPECT_FALSE(taken[pin.slot]);
        taken[pin.slot] = true;
      }
    }
  }
}

// A policy that keeps the thread that calls hit() in the locked section until another thread waits.
class Slow final : public Policy {
 public:
  explicit Slow(const PolicySetup&) {}
  void hit(Slot, const CacheAccess&) override {
    while (pool->counters().waits == 0) std::this_thread::yield();
  }
  Slot victim(const CacheAccess&) override { return 0; }
  void insert(Slot, const CacheAccess&) override {}

  static inline const CachePool* pool = nullptr;
};

TEST(CachePool, WaitsForTheGlobalSectionAreCounted) {
  const PolicyKind slow = {"slow", "", Knowledge::past,
                           [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                             return std::make_unique<Slow>(setup);
                           }};
  CachePool pool({.slots = 2, .units = 2, .workers = 2, .policy = &slow});
  Slow::pool = &pool;
  pool.publish(pool.pin(0, 0).slot);
  std::atomic<bool> entered{false};
  std::jthread first([&] {
    entered = true;
    pool.pin(0, 0);
  });
  while (!entered) std::this_thread::yield();
  std::jthread second([&] {
    while (pool.counters().waits == 0) pool.unpin(pool.pin(1, 1).slot);
  });
  first.join();
  second.join();
  EXPECT_GT(pool.counters().waits, 0U);
  EXPECT_GT(pool.counters().waited_seconds, 0);
}

}  // namespace
}  // namespace outcore
