// SPDX-License-Identifier: Apache-2.0
// Accesses per second of the simulator's parts, one thread, without reading a trace: rounds over
// all units, as PageRank makes them, and a skewed sequence. An item is an access to one cache; for
// LRU, to the caches of all sizes.
#include <benchmark/benchmark.h>

#include "common/hash.h"
#include "storage/cachesim/lru_curve.h"
#include "storage/cachesim/optimal.h"
#include "storage/cachesim/policy_replay.h"
#include "storage/cachesim/recency.h"

namespace outcore {
namespace {

constexpr std::uint32_t kUnits = 125'000;  // Kronecker 22's in blocks of 4 KB
constexpr std::size_t kChunks = 16;

std::vector<AccessChunk> chunks_of(bool skewed) {
  std::vector<AccessChunk> chunks(kChunks);
  Recency recency;
  std::uint64_t at = 0;
  for (AccessChunk& chunk : chunks) {
    for (std::size_t i = 0; i < kChunkAccesses; ++i, ++at) {
      const std::uint64_t chance = mix(at);
      const std::uint64_t low = (chance >> 32) * kUnits >> 32;
      const std::uint64_t unit = skewed ? low * (chance & 0xffffffff) >> 32 : at % kUnits;
      chunk.units.push_back(static_cast<std::uint32_t>(unit));
    }
    recency.annotate(chunk);
  }
  return chunks;
}

template <typename MakeConsumer>
void replay(benchmark::State& state, MakeConsumer make) {
  const std::vector<AccessChunk> chunks = chunks_of(state.range(0) != 0);
  for (auto turn : state) {
    const auto consumer = make();
    for (const AccessChunk& chunk : chunks) consumer->replay(chunk);
    benchmark::DoNotOptimize(consumer->misses());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kChunks * kChunkAccesses));
}

void recency(benchmark::State& state) {
  std::vector<AccessChunk> chunks = chunks_of(state.range(0) != 0);
  for (auto turn : state) {
    Recency recency;
    for (AccessChunk& chunk : chunks) recency.annotate(chunk);
    benchmark::DoNotOptimize(recency.distinct());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kChunks * kChunkAccesses));
}

class LruOfATenth {
 public:
  void replay(const AccessChunk& chunk) { curve_.replay(chunk); }
  [[nodiscard]] std::uint64_t misses() const { return curve_.misses(kUnits / 10); }

 private:
  LruCurve curve_;
};

void lru_all_sizes(benchmark::State& state) {
  replay(state, [] { return std::make_unique<LruOfATenth>(); });
}
void optimal(benchmark::State& state) {
  replay(state, [] { return std::make_unique<OptimalMisses>(kUnits / 10); });
}
void policy(benchmark::State& state, const char* name) {
  replay(state, [&] {
    return std::make_unique<PolicyReplay>(find_policy(name), PolicySetup{.slots = kUnits / 10});
  });
}

BENCHMARK(recency)->ArgName("skewed")->Arg(0)->Arg(1);
BENCHMARK(lru_all_sizes)->ArgName("skewed")->Arg(0)->Arg(1);
BENCHMARK(optimal)->ArgName("skewed")->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(policy, lru, "lru")->ArgName("skewed")->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(policy, clock, "clock")->ArgName("skewed")->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(policy, s3fifo, "s3fifo")->ArgName("skewed")->Arg(0)->Arg(1);
BENCHMARK_CAPTURE(policy, arc, "arc")->ArgName("skewed")->Arg(0)->Arg(1);

}  // namespace
}  // namespace outcore
