// SPDX-License-Identifier: Apache-2.0
// Pins per second of a cache pool, by threads and policies, and the share of the threads' time that
// is spent waiting for the locked section (CAVE's Fig. 6, without a device: the worst case). A
// quarter of the units fits; what must be "read" is overwritten once.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>

#include "common/hash.h"
#include "storage/cache/cache_pool.h"

namespace outcore {
namespace {

constexpr std::uint32_t kUnits = 16384;
constexpr std::size_t kUnitBytes = 4096;

std::unique_ptr<CachePool> shared_pool;

void pin_units(benchmark::State& state, const char* policy) {
  if (state.thread_index() == 0) {
    shared_pool = std::make_unique<CachePool>(
        CachePoolOptions{.slots = kUnits / 4,
                         .slot_bytes = kUnitBytes,
                         .units = kUnits,
                         .workers = static_cast<unsigned>(state.threads()),
                         .policy = &find_policy(policy)});
  }
  const auto worker = static_cast<unsigned>(state.thread_index());
  std::uint64_t draw = std::uint64_t{worker} << 40;
  for (auto turn : state) {
    const std::uint64_t chance = mix(++draw);  // the product of two even numbers is skewed
    const auto unit = static_cast<std::uint32_t>((chance >> 50) * (chance << 18 >> 50) >> 14);
    const auto pin = shared_pool->pin(worker, unit);
    if (pin.state == CachePool::State::load) {
      std::memset(pin.data, 1, kUnitBytes);
      shared_pool->publish(pin.slot);
    }
    shared_pool->wait(pin.slot);
    benchmark::DoNotOptimize(pin.data[unit % kUnitBytes]);
    shared_pool->unpin(pin.slot);
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() != 0) return;
  const CachePoolCounters counters = shared_pool->counters();
  const auto pins = static_cast<double>(counters.hits + counters.joins + counters.loads);
  state.counters["hits"] = static_cast<double>(counters.hits) / pins;
  state.counters["waits"] = static_cast<double>(counters.waits) / pins;
  state.counters["wait_us_a_pin"] = 1e6 * counters.waited_seconds / pins;
}

BENCHMARK_CAPTURE(pin_units, clock, "clock")->ThreadRange(1, 8)->UseRealTime();
BENCHMARK_CAPTURE(pin_units, lru, "lru")->ThreadRange(1, 8)->UseRealTime();

}  // namespace
}  // namespace outcore
