// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "common/error.h"
#include "storage/cachesim/lru_curve.h"
#include "storage/cachesim/optimal.h"
#include "storage/cachesim/policy_replay.h"
#include "storage/cachesim/recency.h"
#include "storage/cachesim/toy_trace.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using Units = std::vector<std::uint32_t>;

std::uint64_t misses(const ToyTrace& replay, const std::string& policy, std::uint64_t slots,
                     std::uint64_t seed = 1) {
  return toy_misses(replay, find_policy(policy), slots, seed);
}

// --- Traces worked by hand ---------------------------------------------------------------------

struct Golden {
  const char* what;
  ToyTrace replay;
  const char* policy;
  std::uint64_t slots;
  std::uint64_t misses;
};

// Belady, Nelson, Shedler 1969.
const ToyTrace kAnomaly{{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}, {0}};
// The reference string of the textbooks on operating systems.
const ToyTrace kTextbook{{7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1}, {0}};
// In each of these, SUB's rule leaves one choice, so the seed does not matter.
const ToyTrace kNextRound{{1, 2, /**/ 1, 3, /**/ 2}, {0, 2, 4}};  // 3 evicts 1, done with
const ToyTrace kThisRound{{1, 2, 3, /**/ 1}, {0, 3}};             // 3 evicts 2, done with
const ToyTrace kStruckOff{{1, 2, /**/ 2, 3, /**/ 1}, {0, 2, 4}};  // 1 may go in round 0, not in 1
const ToyTrace kRestOfRound{{1, 2, 1, 3, 1, /**/ 4}, {0, 5}};     // 3 evicts 2, 1 is needed
const ToyTrace kFarRound{{1, 2, 3, /**/ 2, /**/ 1}, {0, 3, 4}};   // 3 evicts 1, of round 2
const ToyTrace kNoRounds{{1, 2, 3, 1}, {}};                       // 3 evicts 2, never used again
// CLOCK: 1 was used, so 3 evicts 2, and 1 is hit. FIFO evicts 1.
const ToyTrace kUsedTwice{{1, 2, 1, 3, 1, 2}, {}};
// S3-FIFO: 1, used twice more, moves to main when 3 comes, and 2 is evicted.
const ToyTrace kUsedOften{{1, 1, 1, 2, 3, 1, 2}, {}};
// S3-FIFO: 1 was evicted from small, is remembered, enters main, and outlives 5, 6 and 7.
const ToyTrace kRemembered{{1, 2, 3, 4, 1, 5, 6, 7, 1}, {}};
// ARC: 3 evicts 2, which was used once, not 1.
const ToyTrace kPassingBy{{1, 1, 2, 3, 1}, {}};
// ARC continues: 2 is in B1, which moves the target to 1, so T2 gives up 1. That is in B2 and moves
// the target back to 0, so T1 gives up 3. That is in B1; T1 is empty, so T2 gives up 2.
const ToyTrace kBackAgain{{1, 1, 2, 3, 1, 2, 1, 3}, {}};

const std::vector<Golden> kGolden = {
    {"anomaly", kAnomaly, "lru", 3, 10},          {"anomaly", kAnomaly, "lru", 4, 8},
    {"anomaly", kAnomaly, "opt", 3, 7},           {"anomaly", kAnomaly, "opt", 4, 6},
    {"textbook", kTextbook, "lru", 3, 12},        {"textbook", kTextbook, "opt", 3, 9},
    {"next round", kNextRound, "sub", 2, 3},      {"next round", kNextRound, "lru", 2, 4},
    {"this round", kThisRound, "sub", 2, 3},      {"this round", kThisRound, "lru", 2, 4},
    {"struck off", kStruckOff, "sub", 2, 3},      {"struck off", kStruckOff, "lru", 2, 4},
    {"rest of round", kRestOfRound, "sub", 2, 4}, {"far round", kFarRound, "sub", 2, 4},
    {"far round", kFarRound, "opt", 2, 4},        {"no rounds", kNoRounds, "sub", 2, 3},
    {"no rounds", kNoRounds, "lru", 2, 4},        {"one slot", kAnomaly, "opt", 1, 12},
    {"one slot", kAnomaly, "sub", 1, 12},         {"anomaly", kAnomaly, "fifo", 3, 9},
    {"anomaly", kAnomaly, "fifo", 4, 10},         {"textbook", kTextbook, "fifo", 3, 15},
    {"anomaly", kAnomaly, "clock", 3, 10},        {"used twice", kUsedTwice, "clock", 2, 4},
    {"used twice", kUsedTwice, "fifo", 2, 5},     {"used often", kUsedOften, "s3fifo", 2, 4},
    {"used often", kUsedOften, "lru", 2, 5},      {"remembered", kRemembered, "s3fifo", 3, 8},
    {"remembered", kRemembered, "fifo", 3, 9},    {"passing by", kPassingBy, "arc", 2, 3},
    {"passing by", kPassingBy, "lru", 2, 4},      {"back again", kBackAgain, "arc", 2, 6},
    {"one slot", kAnomaly, "arc", 1, 12},         {"one slot", kAnomaly, "s3fifo", 1, 12},
    {"one slot", kAnomaly, "clock", 1, 12},
};

TEST(CacheSimulator, MissesExactlyWhatHandWorkedTracesMiss) {
  for (const Golden& golden : kGolden) {
    EXPECT_EQ(misses(golden.replay, golden.policy, golden.slots), golden.misses)
        << golden.what << ", " << golden.policy << ", " << golden.slots << " slots";
  }
}

TEST(CacheSimulator, AnEmptyTraceMissesNothing) {
  for (const PolicyKind* kind : policies()) {
    EXPECT_EQ(misses({}, std::string(kind->name), 3), 0U);
    EXPECT_EQ(misses({{}, {0, 0}}, std::string(kind->name), 3), 0U);
  }
}

TEST(CacheSimulator, ACacheOfNothingIsRefused) { EXPECT_THROW(misses(kAnomaly, "lru", 0), Error); }

TEST(CacheSimulator, UnknownPoliciesAreNamedWithTheNearest) {
  try {
    find_policy("lruu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean 'lru'?"));
  }
}

// --- Random traces against the simplest references -----------------------------------------------

ToyTrace random_replay(std::mt19937& random) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  ToyTrace replay;
  const std::uint32_t universe = 1 + below(9);
  const std::uint32_t length = below(60);
  for (std::uint32_t i = 0; i < length; ++i) replay.units.push_back(below(universe));
  const std::uint32_t rounds = below(8);
  for (std::uint32_t i = 0; i < rounds; ++i) replay.round_begins.push_back(below(length + 1));
  std::sort(replay.round_begins.begin(), replay.round_begins.end());
  if (rounds > 0 && below(4) > 0) replay.round_begins.front() = 0;
  return replay;
}

template <typename F>
void for_random_traces(F&& check) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const ToyTrace replay = random_replay(random);
    SCOPED_TRACE(::testing::PrintToString(replay.units) +
                 ::testing::PrintToString(replay.round_begins));
    for (std::uint64_t slots = 1; slots <= 5; ++slots) check(replay, slots);
    if (::testing::Test::HasFailure()) return;
  }
}

std::uint64_t distinct(const ToyTrace& replay) {
  return std::set(replay.units.begin(), replay.units.end()).size();
}

// The fewest misses over every choice of victims: for each content of the cache (a set of units as
// bits), the cheapest way to reach it.
std::uint64_t least_misses(const Units& units, std::uint64_t slots) {
  std::map<std::uint32_t, std::uint64_t> cost = {{0, 0}};
  for (const std::uint32_t unit : units) {
    std::map<std::uint32_t, std::uint64_t> after;
    const auto reach = [&](std::uint32_t content, std::uint64_t spent) {
      const auto [entry, fresh] = after.emplace(content, spent);
      if (!fresh) entry->second = std::min(entry->second, spent);
    };
    for (const auto& [content, spent] : cost) {
      const std::uint32_t bit = 1U << unit;
      if (content & bit) {
        reach(content, spent);
      } else if (static_cast<std::uint64_t>(__builtin_popcount(content)) < slots) {
        reach(content | bit, spent + 1);
      } else {
        for (std::uint32_t rest = content; rest != 0; rest &= rest - 1) {
          reach((content & ~(rest & -rest)) | bit, spent + 1);
        }
      }
    }
    cost = std::move(after);
  }
  return std::min_element(cost.begin(), cost.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

std::uint64_t reference_lru(const Units& units, std::uint64_t slots) {
  Units recent;  // most recent last
  std::uint64_t missed = 0;
  for (const std::uint32_t unit : units) {
    const auto found = std::find(recent.begin(), recent.end(), unit);
    if (found != recent.end()) {
      recent.erase(found);
    } else {
      ++missed;
      if (recent.size() == slots) recent.erase(recent.begin());
    }
    recent.push_back(unit);
  }
  return missed;
}

TEST(CacheSimulator, OptIsTheLeastOverAllChoicesOfVictims) {
  for_random_traces([](const ToyTrace& replay, std::uint64_t slots) {
    EXPECT_EQ(misses(replay, "opt", slots), least_misses(replay.units, slots));
  });
}

TEST(CacheSimulator, LruIsTheReference) {
  for_random_traces([](const ToyTrace& replay, std::uint64_t slots) {
    EXPECT_EQ(misses(replay, "lru", slots), reference_lru(replay.units, slots));
  });
}

TEST(CacheSimulator, NoPolicyMissesLessThanOptNorThanWhatIsNew) {
  for_random_traces([](const ToyTrace& replay, std::uint64_t slots) {
    const std::uint64_t least = misses(replay, "opt", slots);
    EXPECT_GE(least, distinct(replay));
    for (const PolicyKind* kind : policies()) {
      const std::uint64_t missed = misses(replay, std::string(kind->name), slots);
      EXPECT_GE(missed, least) << kind->name;
      EXPECT_LE(missed, replay.units.size()) << kind->name;
    }
  });
}

TEST(CacheSimulator, RoomForEverythingMissesEachUnitOnce) {
  for_random_traces([](const ToyTrace& replay, std::uint64_t slots) {
    EXPECT_EQ(simulate_toy(replay, {}).distinct, distinct(replay));
    for (const PolicyKind* kind : policies()) {
      const std::uint64_t enough = std::max<std::uint64_t>(1, distinct(replay)) + slots - 1;
      EXPECT_EQ(misses(replay, std::string(kind->name), enough), distinct(replay)) << kind->name;
    }
  });
}

TEST(CacheSimulator, OptAndLruNeverMissMoreWithMoreRoom) {
  for_random_traces([](const ToyTrace& replay, std::uint64_t slots) {
    EXPECT_LE(misses(replay, "opt", slots + 1), misses(replay, "opt", slots));
    EXPECT_LE(misses(replay, "lru", slots + 1), misses(replay, "lru", slots));
  });
}

// --- SUB's choices -----------------------------------------------------------------------------

// The units in the cache that no later access in this round or the next one asks for.
std::set<std::uint32_t> not_needed(const ToyTrace& replay, std::size_t at, const Units& cached) {
  const auto& begins = replay.round_begins;
  const auto next = std::upper_bound(begins.begin(), begins.end(), at);
  const bool last = next == begins.end() || next + 1 == begins.end();
  const std::size_t horizon = last ? replay.units.size() : *(next + 1);
  std::set<std::uint32_t> result(cached.begin(), cached.end());
  for (std::size_t i = at + 1; i < horizon; ++i) result.erase(replay.units[i]);
  return result;
}

// Runs `replay` over SUB, and calls check(at, cached, victim) at each eviction.
template <typename F>
void watch_sub(const ToyTrace& replay, Slot slots, std::uint64_t seed, F&& check) {
  const auto policy = find_policy("sub").make({.slots = slots, .seed = seed});
  const auto& begins = replay.round_begins;
  Units cached;
  std::size_t round = 0;
  const auto soon = [&](std::size_t at, std::uint32_t unit) {
    return not_needed(replay, at, {unit}).empty();
  };
  for (std::size_t at = 0; at < replay.units.size(); ++at) {
    for (; round < begins.size() && begins[round] == at; ++round) {
      for (Slot slot = 0; slot < cached.size(); ++slot) {
        // not_needed() looks after `at`, but what the round's first access asks for is needed too.
        if (cached[slot] == replay.units[at] || soon(at, cached[slot])) policy->announce(slot);
      }
    }
    const std::uint32_t unit = replay.units[at];
    const CacheAccess access{unit, soon(at, unit)};
    auto slot = static_cast<Slot>(std::find(cached.begin(), cached.end(), unit) - cached.begin());
    if (slot < cached.size()) {
      policy->hit(slot, access);
      continue;
    }
    if (cached.size() < slots) {
      cached.push_back(unit);
    } else {
      slot = policy->victim(access);
      check(at, cached, cached[slot]);
      cached[slot] = unit;
    }
    policy->insert(slot, access);
  }
}

TEST(SubPolicy, EvictsWhatIsNotNeededWheneverThereIsSuchAUnit) {
  std::uint64_t identified = 0;
  std::uint64_t random = 0;
  for_random_traces([&](const ToyTrace& replay, std::uint64_t slots) {
    watch_sub(replay, static_cast<Slot>(slots), 5,
              [&](std::size_t at, const Units& cached, std::uint32_t victim) {
                const auto candidates = not_needed(replay, at, cached);
                ++(candidates.empty() ? random : identified);
                EXPECT_TRUE(candidates.empty() || candidates.contains(victim)) << at;
              });
  });
  EXPECT_GT(identified, 1000U);  // both halves of the rule were exercised
  EXPECT_GT(random, 1000U);
}

TEST(SubPolicy, DrawsFromAllCandidatesAndElseFromAllUnits) {
  const ToyTrace candidates{{1, 2, 3, 4, 5, /**/ 1, 2}, {0, 5}};        // 3 and 4 may go for 5
  const ToyTrace everything{{1, 2, 3, 4, 5, /**/ 1, 2, 3, 4}, {0, 5}};  // none may, so any
  std::set<std::uint32_t> chosen;
  std::set<std::uint32_t> forced;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    watch_sub(candidates, 4, seed, [&](std::size_t at, const Units&, std::uint32_t victim) {
      if (at == 4) chosen.insert(victim);
    });
    watch_sub(everything, 4, seed, [&](std::size_t at, const Units&, std::uint32_t victim) {
      if (at == 4) forced.insert(victim);
    });
  }
  EXPECT_THAT(chosen, ElementsAre(3, 4));
  EXPECT_THAT(forced, ElementsAre(1, 2, 3, 4));
}

TEST(SubPolicy, ASeedMeansTheSameMissesAndSeedsDiffer) {
  ToyTrace replay;  // four rounds over twice the room: no candidates until the last, so all chance
  for (std::uint32_t i = 0; i < 400; ++i) {
    if (i % 100 == 0) replay.round_begins.push_back(i);
    replay.units.push_back(i % 100);
  }
  std::set<std::uint64_t> counts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    counts.insert(misses(replay, "sub", 50, seed));
    EXPECT_EQ(misses(replay, "sub", 50, seed), misses(replay, "sub", 50, seed));
  }
  EXPECT_GT(counts.size(), 1U);
}

// --- From a file -------------------------------------------------------------------------------

TEST(CacheSimulator, ReadsRunsAndRoundsOfAFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "outcore_replay.oct";
  TraceWriter writer(
      path,
      {.graph = "g", .layout = "csr", .engine = "e", .workload = "bfs", .file_units = {10, 10}});
  writer.note(0, 0, 4, 1);
  writer.begin_round(1);
  writer.note(0, 0, 8, 2);
  writer.note(0, 1, 0, 3);
  writer.begin_round(2);
  writer.note(0, 0, 4, 1);
  writer.close();
  const std::vector<CacheJob> jobs = {{&find_policy("fifo"), 5}, {&find_policy("fifo"), 6}};
  const Simulation found = simulate(file_source(path), jobs);
  EXPECT_EQ(found.accesses, 7U);
  EXPECT_EQ(found.distinct, 6U);
  EXPECT_EQ(found.rounds, 3U);
  EXPECT_EQ(found.results[0].misses, 7U);  // 4 misses in the first six accesses
  EXPECT_EQ(found.results[1].misses, 6U);
  std::filesystem::remove(path);
}

TEST(CacheSimulator, AnswersManyJobsInTheirOrder) {
  std::vector<CacheJob> jobs;
  for (const char* policy : {"opt", "lru", "fifo", "opt"}) {
    for (const std::uint64_t slots : {1, 3, 4, 9}) {
      jobs.push_back({.policy = &find_policy(policy), .units = slots});
    }
  }
  std::vector<std::uint64_t> found;
  for (const CacheResult& result : simulate_toy(kAnomaly, jobs).results) {
    found.push_back(result.misses);
  }
  EXPECT_THAT(found, ElementsAre(12, 7, 6, 5, 12, 10, 8, 5, 12, 9, 10, 5, 12, 7, 6, 5));
  jobs[5].units = 0;
  EXPECT_THROW((void)simulate_toy(kAnomaly, jobs), Error);
}

// A trace that breaks off in the middle; the thread that reads ahead sees it first.
TEST(CacheSimulator, WhatTheReaderThrowsComesOut) {
  class Broken final : public TraceEvents {
   public:
    bool next(TraceEvent& event) override {
      if (++events_ > 300) throw Error(ExitCode::bad_input, "broken");
      event = {TraceEvent::Kind::run, {.round = 0, .first = 0, .units = 1000}};
      return true;
    }

   private:
    int events_ = 0;
  };
  const std::vector<CacheJob> jobs = {{&find_policy("lru"), 5}, {&find_policy("clock"), 6}};
  const TraceSource source{.units = 1000, .open = [] { return std::make_unique<Broken>(); }};
  EXPECT_THROW((void)simulate(source, jobs), Error);
}

// --- More than a chunk, and windows that are renumbered ------------------------------------------

// Skewed, with phases: units of the first phases are not asked for again, so some old positions
// matter and some do not.
Units long_trace(std::mt19937& random, std::size_t accesses, std::uint32_t universe) {
  Units units;
  for (std::size_t i = 0; i < accesses; ++i) {
    const auto phase = static_cast<std::uint32_t>(4 * i / accesses);
    const auto span = static_cast<std::uint32_t>(1 + random() % universe);
    units.push_back(phase * universe / 2 + static_cast<std::uint32_t>(random() % span));
  }
  return units;
}

// Belady's definition: evict the cached unit that is used furthest in the future.
std::uint64_t reference_opt(const Units& units, std::size_t slots) {
  std::vector<std::size_t> next(units.size());
  std::map<std::uint32_t, std::size_t> seen;
  for (std::size_t i = units.size(); i-- > 0;) {
    const auto found = seen.find(units[i]);
    next[i] = found == seen.end() ? units.size() : found->second;
    seen[units[i]] = i;
  }
  std::map<std::uint32_t, std::size_t> next_of;               // of each cached unit
  std::set<std::pair<std::size_t, std::uint32_t>> by_future;  // the same
  std::uint64_t missed = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto cached = next_of.find(units[i]);
    if (cached != next_of.end()) {
      by_future.erase({cached->second, units[i]});
    } else {
      ++missed;
      if (next_of.size() == slots) {
        const auto furthest = std::prev(by_future.end());
        next_of.erase(furthest->second);
        by_future.erase(furthest);
      }
    }
    next_of[units[i]] = next[i];
    by_future.emplace(next[i], units[i]);
  }
  return missed;
}

TEST(OnePass, LruAndOptAreExactHoweverOftenPositionsAreRenumbered) {
  std::mt19937 random(11);
  int renumbered = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const auto universe = static_cast<std::uint32_t>(1 + random() % 60);
    const Units units = long_trace(random, 2000, universe);
    Recency recency(1 + random() % 800);
    LruCurve lru;
    std::vector<std::unique_ptr<OptimalMisses>> optimal;
    for (std::uint64_t slots = 1; slots < 40; ++slots) {
      optimal.push_back(std::make_unique<OptimalMisses>(slots));
    }
    for (std::size_t at = 0; at < units.size();) {
      const std::size_t end = std::min<std::size_t>(units.size(), at + 1 + random() % 50);
      AccessChunk chunk;
      chunk.units.assign(units.begin() + static_cast<std::ptrdiff_t>(at),
                         units.begin() + static_cast<std::ptrdiff_t>(end));
      recency.annotate(chunk);
      renumbered += chunk.renumbering ? 1 : 0;
      lru.replay(chunk);
      for (const auto& cache : optimal) cache->replay(chunk);
      at = end;
    }
    for (std::uint64_t slots = 1; slots < 40; ++slots) {
      ASSERT_EQ(lru.misses(slots), reference_lru(units, slots)) << slots;
      ASSERT_EQ(optimal[slots - 1]->misses(), reference_opt(units, slots)) << slots;
    }
  }
  EXPECT_GT(renumbered, 200);
}

TEST(OnePass, LruCountsWhatThePolicyMisses) {
  std::mt19937 random(3);
  const ToyTrace trace{long_trace(random, 3 * kChunkAccesses + 17, 3000), {}};
  const std::vector<CacheJob> jobs = {{&lru_policy, 100}, {&lru_policy, 2500}, {&opt_policy, 700}};
  const Simulation found = simulate_toy(trace, jobs);
  AccessChunk chunk;
  chunk.units = trace.units;
  for (const std::size_t at : {0, 1}) {
    PolicyReplay policy(lru_policy, {.slots = static_cast<Slot>(jobs[at].units)});
    policy.replay(chunk);
    EXPECT_EQ(found.results[at].misses, policy.misses());
  }
  EXPECT_EQ(found.results[2].misses, reference_opt(trace.units, 700));
}

// A single size is replayed by the policy; several are counted together.
TEST(OnePass, LruOfOneSizeAndOfSeveralMissTheSame) {
  for_random_traces([](const ToyTrace& replay, std::uint64_t slots) {
    const std::vector<CacheJob> several = {{&lru_policy, slots}, {&lru_policy, slots + 1}};
    const Simulation found = simulate_toy(replay, several);
    EXPECT_EQ(found.results[0].misses, reference_lru(replay.units, slots));
    EXPECT_EQ(found.results[1].misses, reference_lru(replay.units, slots + 1));
  });
}

TEST(PositionSet, FindsTheGreatestNotAbove) {
  std::mt19937 random(5);
  for (const std::size_t bound : {1, 64, 65, 4096, 5000, 300000}) {
    PositionSet set(bound);
    std::set<std::size_t> reference;
    for (int i = 0; i < 3000; ++i) {
      const std::size_t number = random() % bound;
      if (random() % 2 == 0) {
        set.insert(number);
        reference.insert(number);
      } else if (reference.contains(number)) {
        set.erase(number);
        reference.erase(number);
      }
      const std::size_t asked = random() % bound;
      const auto above = reference.upper_bound(asked);
      ASSERT_EQ(set.at_most(asked),
                above == reference.begin() ? PositionSet::kNone : *std::prev(above));
    }
    std::vector<std::size_t> listed;
    set.for_each([&](std::size_t number) { listed.push_back(number); });
    EXPECT_THAT(listed, ::testing::ElementsAreArray(reference));
  }
}

}  // namespace
}  // namespace outcore
