// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "common/error.h"
#include "common/progress.h"
#include "common/stopwatch.h"

namespace outcore {

namespace {

constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();

// A cache of fixed size that loads on demand and counts its misses.
class SimulatedCache {
 public:
  SimulatedCache(const PolicyKind& kind, const PolicySetup& setup, std::uint32_t unit_end)
      : slots_(setup.slots), policy_(kind.make(setup)), slot_of_(unit_end, kNoSlot) {
    unit_in_.reserve(slots_);
  }

  void begin_round(Position horizon) { policy_->begin_round(horizon); }

  void access(const Access& access) {
    Slot& slot = slot_of_[access.unit];
    if (slot != kNoSlot) {
      policy_->hit(slot, access);
      return;
    }
    ++misses_;
    slot = free_slot(access);
    unit_in_[slot] = access.unit;
    policy_->insert(slot, access);
  }

  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  Slot free_slot(const Access& incoming) {
    if (unit_in_.size() < slots_) {
      unit_in_.push_back(incoming.unit);
      return static_cast<Slot>(unit_in_.size() - 1);
    }
    const Slot slot = policy_->victim(incoming);
    slot_of_[unit_in_[slot]] = kNoSlot;
    return slot;
  }

  Slot slots_;
  std::unique_ptr<Policy> policy_;
  std::vector<Slot> slot_of_;           // by unit
  std::vector<std::uint32_t> unit_in_;  // by slot
  std::uint64_t misses_ = 0;
};

}  // namespace

Replay load_replay(TraceReader& reader) {
  Replay replay;
  Progress progress("reading the trace", 0, "accesses");
  for (TraceReader::Event event; reader.next(event);) {
    if (event.kind == TraceReader::Event::Kind::round) {
      replay.round_begins.push_back(static_cast<Position>(replay.units.size()));
      continue;
    }
    if (replay.units.size() + event.run.units >= kNever) {
      throw usage_error(fmt::format("{}: the simulator can replay {} accesses; the trace has more",
                                    reader.path().string(), kNever - 1));
    }
    for (std::uint32_t i = 0; i < event.run.units; ++i) replay.units.push_back(event.run.first + i);
    progress.add(event.run.units);
  }
  return replay;
}

CacheSimulator::CacheSimulator(const Replay& replay)
    : replay_(replay), next_use_(replay.units.size()) {
  if (replay.units.empty()) return;
  unit_end_ = *std::max_element(replay.units.begin(), replay.units.end()) + 1;
  std::vector<Position> next(unit_end_, kNever);  // use of each unit, seen from the end
  for (std::size_t i = replay.units.size(); i-- > 0;) {
    next_use_[i] = std::exchange(next[replay.units[i]], static_cast<Position>(i));
    if (next_use_[i] == kNever) ++distinct_;
  }
}

std::uint64_t CacheSimulator::rounds() const {
  const std::vector<Position>& begins = replay_.round_begins;
  const bool unbegun = accesses() > 0 && (begins.empty() || begins.front() > 0);
  return begins.size() + (unbegun ? 1 : 0);
}

CacheResult CacheSimulator::run(const CacheJob& job) const {
  if (job.units == 0) throw usage_error("a simulated cache holds at least one unit");
  if (accesses() == 0) return {};
  const Stopwatch watch;
  const auto slots = static_cast<Slot>(std::min(job.units, distinct_));  // more stay empty
  SimulatedCache cache(*job.policy, {.slots = slots, .seed = job.seed}, unit_end_);

  const std::vector<std::uint32_t>& units = replay_.units;
  const auto end = static_cast<Position>(units.size());
  Position at = 0;
  const auto replay_until = [&](Position until) {
    for (; at < until; ++at) cache.access({units[at], next_use_[at]});
  };
  // A round's horizon is where the round after the next one begins.
  const std::vector<Position>& begins = replay_.round_begins;
  const auto begin_of = [&](std::size_t round) {
    return round < begins.size() ? begins[round] : end;
  };
  cache.begin_round(begin_of(1));
  replay_until(begin_of(0));
  for (std::size_t round = 0; round < begins.size(); ++round) {
    cache.begin_round(begin_of(round + 2));
    replay_until(begin_of(round + 1));
  }
  return {cache.misses(), watch.seconds()};
}

std::vector<CacheResult> CacheSimulator::run_all(std::span<const CacheJob> jobs) const {
  std::vector<CacheResult> results(jobs.size());
  std::exception_ptr failure;  // exceptions must not leave an OpenMP loop
  Progress progress("simulating", jobs.size() * accesses(), "accesses");
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    try {
      results[i] = run(jobs[i]);
#pragma omp critical(cachesim_progress)
      progress.add(accesses());
    } catch (...) {
#pragma omp critical(cachesim_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace outcore
