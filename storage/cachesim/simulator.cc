// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/simulator.h"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>

#include "common/error.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "storage/cachesim/lru_curve.h"
#include "storage/cachesim/optimal.h"
#include "storage/cachesim/policy_replay.h"
#include "storage/cachesim/recency.h"
#include "storage/cachesim/rounds_ahead.h"

namespace outcore {

namespace {

// Counts different units when nobody needs to know when each was asked for: one bit per unit, which
// stays in a cache where Recency's words do not.
class SeenUnits {
 public:
  void add(std::span<const std::uint32_t> units) {
    for (const std::uint32_t unit : units) {
      if (unit / 64 >= words_.size())
        words_.resize(std::max<std::size_t>(unit / 64 + 1, 2 * words_.size()));
      std::uint64_t& word = words_[unit / 64];
      const std::uint64_t bit = std::uint64_t{1} << unit % 64;
      if ((word & bit) != 0) continue;  // a store would delay the next load of this word
      word |= bit;
      ++distinct_;
    }
  }
  [[nodiscard]] std::uint64_t distinct() const { return distinct_; }

 private:
  std::vector<std::uint64_t> words_;
  std::uint64_t distinct_ = 0;
};

// Cuts a trace into chunks.
class ChunkSource {
 public:
  ChunkSource(const TraceSource& trace, bool recency, bool rounds_ahead) : events_(trace.open()) {
    if (recency) recency_.emplace();
    if (rounds_ahead) ahead_.emplace(trace.open());
  }

  // The next chunk; an empty one at the end.
  void fill(AccessChunk& chunk) {
    chunk.units.resize(kChunkAccesses + kStep);  // more than needed; cut to size below
    chunk.soon.clear();
    chunk.rounds.clear();
    chunk.announced.clear();
    std::size_t filled = 0;
    while (filled < kChunkAccesses && (next_ < taken_ || take_events())) {
      TraceEvent& event = events_taken_[next_];
      if (event.kind == TraceEvent::Kind::round) {
        begin_round(chunk, filled);
        ++next_;
      } else {
        filled += write(event.run, chunk, filled);
        if (event.run.units == 0) ++next_;
      }
    }
    chunk.units.resize(filled);
    recency_ ? recency_->annotate(chunk) : seen_.add(chunk.units);
    accesses_ += chunk.units.size();
  }

  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
  [[nodiscard]] std::uint64_t distinct() const {
    return recency_ ? recency_->distinct() : seen_.distinct();
  }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_ + (unbegun_ ? 1 : 0); }

 private:
  static constexpr std::uint32_t kStep = 8;  // units that are written at once

  bool take_events() {
    next_ = 0;
    taken_ = events_->take(events_taken_);
    return taken_ > 0;
  }

  void begin_round(AccessChunk& chunk, std::size_t filled) {
    ++rounds_;
    if (!ahead_) return;
    ahead_->begin_round(chunk.announced);
    chunk.rounds.push_back({filled, chunk.announced.size()});
  }

  // Writes as much of `run` as fits into the chunk, after `filled` units, removes it from `run`,
  // and returns how many units that was. Most runs are short and of unpredictable length, so kStep
  // units are written at once without a branch per unit.
  std::uint32_t write(TraceRun& run, AccessChunk& chunk, std::size_t filled) {
    unbegun_ |= rounds_ == 0;
    const auto room = static_cast<std::uint32_t>(kChunkAccesses - filled);
    const std::uint32_t units = std::min(run.units, room);
    std::uint32_t* const out = &chunk.units[filled];
    for (std::uint32_t i = 0; i < units; i += kStep) {
      for (std::uint32_t j = 0; j < kStep; ++j) out[i + j] = run.first + i + j;
    }
    if (ahead_) {
      for (std::uint32_t i = 0; i < units; ++i) {
        chunk.soon.push_back(ahead_->use(run.first + i) ? 1 : 0);
      }
    }
    run.units -= units;
    run.first += units;
    return units;
  }

  std::unique_ptr<TraceEvents> events_;
  std::array<TraceEvent, 256> events_taken_;
  std::size_t taken_ = 0;  // number of events in it
  std::size_t next_ = 0;   // next event; the last chunk's end may have cut its run
  std::optional<RoundsAhead> ahead_;
  std::optional<Recency> recency_;
  SeenUnits seen_;  // used if there is no Recency
  std::uint64_t accesses_ = 0;
  std::uint64_t rounds_ = 0;  // rounds begun
  bool unbegun_ = false;      // are there accesses before the first round?
};

// What the caches of a call need, each once.
class Caches {
 public:
  Caches(std::span<const CacheJob> jobs, std::uint64_t units)
      : several_lru_(std::count_if(jobs.begin(), jobs.end(), is_lru) > 1) {
    for (const CacheJob& job : jobs) {
      if (job.units == 0) throw usage_error("a simulated cache holds at least one unit");
      readers_.push_back(add(job, units));
    }
    seconds_.resize(consumers_.size());
  }

  [[nodiscard]] std::size_t size() const { return consumers_.size(); }
  // Does any of them ask when a unit was asked for before?
  [[nodiscard]] bool recency() const { return recency_; }
  void replay(std::size_t i, const AccessChunk& chunk) {
    const Stopwatch watch;
    consumers_[i]->replay(chunk);
    seconds_[i] += watch.seconds();
  }
  [[nodiscard]] std::vector<CacheResult> results() const {
    std::vector<CacheResult> results;
    for (const Reader& reader : readers_) {
      results.push_back({reader.misses(), seconds_[reader.consumer]});
    }
    return results;
  }

 private:
  struct Reader {  // reads a job's result
    std::size_t consumer;
    std::function<std::uint64_t()> misses;
  };

  static bool is_lru(const CacheJob& job) { return job.policy == &lru_policy; }

  Reader add(const CacheJob& job, std::uint64_t units) {
    // For a single size the policy itself is faster than counting all sizes.
    if (is_lru(job) && several_lru_) {
      if (lru_ == nullptr) {
        lru_at_ = consumers_.size();
        lru_ = &hold(std::make_unique<LruCurve>());
        recency_ = true;
      }
      return {lru_at_, [lru = lru_, job] { return lru->misses(job.units); }};
    }
    const std::size_t at = consumers_.size();
    if (job.policy == &opt_policy) {
      const auto& cache = hold(std::make_unique<OptimalMisses>(job.units));
      recency_ = true;
      return {at, [&cache] { return cache.misses(); }};
    }
    const auto most = std::min<std::uint64_t>(units, std::numeric_limits<Slot>::max());
    const auto slots = static_cast<Slot>(std::max<std::uint64_t>(1, std::min(job.units, most)));
    const auto& cache = hold(
        std::make_unique<PolicyReplay>(*job.policy, PolicySetup{.slots = slots, .seed = job.seed}));
    return {at, [&cache] { return cache.misses(); }};
  }

  template <typename Consumer>
  const Consumer& hold(std::unique_ptr<Consumer> consumer) {
    const Consumer& held = *consumer;
    consumers_.push_back(std::move(consumer));
    return held;
  }

  bool several_lru_;
  bool recency_ = false;
  std::vector<std::unique_ptr<ChunkConsumer>> consumers_;
  std::vector<double> seconds_;
  std::vector<Reader> readers_;
  const LruCurve* lru_ = nullptr;
  std::size_t lru_at_ = 0;
};

// Runs the caches over `chunk`, and prepares the next chunk at the same time.
void step(ChunkSource& source, Caches& caches, const AccessChunk& chunk, AccessChunk& next) {
  std::exception_ptr failure;  // exceptions must not leave an OpenMP loop
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t i = 0; i <= caches.size(); ++i) {
    try {
      if (i == 0) {
        source.fill(next);
      } else {
        caches.replay(i - 1, chunk);
      }
    } catch (...) {
#pragma omp critical(cachesim_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

TraceSource file_source(const std::filesystem::path& path) {
  return {TraceReader(path).header().units(),
          [path] { return std::make_unique<TraceReader>(path); }};
}

Simulation simulate(const TraceSource& trace, std::span<const CacheJob> jobs) {
  const Stopwatch watch;
  const bool rounds_ahead = std::any_of(jobs.begin(), jobs.end(), [](const CacheJob& job) {
    return job.policy->knows == Knowledge::next_round;
  });
  Caches caches(jobs, trace.units);
  ChunkSource source(trace, caches.recency(), rounds_ahead);
  Progress progress("simulating", 0, "accesses");
  std::array<AccessChunk, 2> chunks;
  std::size_t now = 0;
  for (source.fill(chunks[0]); !chunks[now].units.empty(); now ^= 1) {
    step(source, caches, chunks[now], chunks[now ^ 1]);
    progress.add(chunks[now].units.size());
  }
  return {source.accesses(), source.distinct(), source.rounds(), caches.results(), watch.seconds()};
}

}  // namespace outcore
