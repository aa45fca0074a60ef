// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using Units = std::vector<std::uint32_t>;

std::uint64_t misses(const Replay& replay, const std::string& policy, std::uint64_t slots,
                     std::uint64_t seed = 1) {
  return CacheSimulator(replay)
      .run({.policy = &find_policy(policy), .units = slots, .seed = seed})
      .misses;
}

// --- Traces worked by hand ---------------------------------------------------------------------

struct Golden {
  const char* what;
  Replay replay;
  const char* policy;
  std::uint64_t slots;
  std::uint64_t misses;
};

// Belady, Nelson, Shedler 1969.
const Replay kAnomaly{{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}, {0}};
// The reference string of the textbooks on operating systems.
const Replay kTextbook{{7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1}, {0}};
// In each of these the rule leaves SUB one choice, so that no seed matters.
const Replay kNextRound{{1, 2, /**/ 1, 3, /**/ 2}, {0, 2, 4}};  // 3 evicts 1, done with
const Replay kThisRound{{1, 2, 3, /**/ 1}, {0, 3}};             // 3 evicts 2, done with
const Replay kStruckOff{{1, 2, /**/ 2, 3, /**/ 1}, {0, 2, 4}};  // 1 may go in round 0, not in 1
const Replay kRestOfRound{{1, 2, 1, 3, 1, /**/ 4}, {0, 5}};     // 3 evicts 2, 1 is needed
const Replay kFarRound{{1, 2, 3, /**/ 2, /**/ 1}, {0, 3, 4}};   // 3 evicts 1, of round 2
const Replay kNoRounds{{1, 2, 3, 1}, {}};                       // 3 evicts 2, never used again

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
    {"one slot", kAnomaly, "sub", 1, 12},
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

// --- Random traces against references as plain as can be ---------------------------------------

Replay random_replay(std::mt19937& random) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  Replay replay;
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
    const Replay replay = random_replay(random);
    SCOPED_TRACE(::testing::PrintToString(replay.units) +
                 ::testing::PrintToString(replay.round_begins));
    for (std::uint64_t slots = 1; slots <= 5; ++slots) check(replay, slots);
    if (::testing::Test::HasFailure()) return;
  }
}

std::uint64_t distinct(const Replay& replay) {
  return std::set(replay.units.begin(), replay.units.end()).size();
}

// The least misses over every choice of victims: for each content of the cache (a set of units as
// bits) the cheapest way to come to it.
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
  for_random_traces([](const Replay& replay, std::uint64_t slots) {
    EXPECT_EQ(misses(replay, "opt", slots), least_misses(replay.units, slots));
  });
}

TEST(CacheSimulator, LruIsTheReference) {
  for_random_traces([](const Replay& replay, std::uint64_t slots) {
    EXPECT_EQ(misses(replay, "lru", slots), reference_lru(replay.units, slots));
  });
}

TEST(CacheSimulator, NoPolicyMissesLessThanOptNorThanWhatIsNew) {
  for_random_traces([](const Replay& replay, std::uint64_t slots) {
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
  for_random_traces([](const Replay& replay, std::uint64_t slots) {
    EXPECT_EQ(CacheSimulator(replay).distinct(), distinct(replay));
    for (const PolicyKind* kind : policies()) {
      const std::uint64_t enough = std::max<std::uint64_t>(1, distinct(replay)) + slots - 1;
      EXPECT_EQ(misses(replay, std::string(kind->name), enough), distinct(replay)) << kind->name;
    }
  });
}

TEST(CacheSimulator, OptAndLruNeverMissMoreWithMoreRoom) {
  for_random_traces([](const Replay& replay, std::uint64_t slots) {
    EXPECT_LE(misses(replay, "opt", slots + 1), misses(replay, "opt", slots));
    EXPECT_LE(misses(replay, "lru", slots + 1), misses(replay, "lru", slots));
  });
}

// --- SUB's choices -----------------------------------------------------------------------------

// The units in the cache that no access after `at` in this round or the next one asks for.
std::set<std::uint32_t> not_needed(const Replay& replay, Position at, const Units& cached) {
  const auto& begins = replay.round_begins;
  const auto next = std::upper_bound(begins.begin(), begins.end(), at);
  const bool last = next == begins.end() || next + 1 == begins.end();
  const std::size_t horizon = last ? replay.units.size() : *(next + 1);
  std::set<std::uint32_t> result(cached.begin(), cached.end());
  for (std::size_t i = at + 1; i < horizon; ++i) result.erase(replay.units[i]);
  return result;
}

// Replays `replay` over SUB; check(at, cached, victim) at each eviction.
template <typename F>
void watch_sub(const Replay& replay, Slot slots, std::uint64_t seed, F&& check) {
  const auto policy = find_policy("sub").make({.slots = slots, .seed = seed});
  const auto& begins = replay.round_begins;
  Units cached;
  const auto begin_of = [&](std::size_t round) {
    return round < begins.size() ? begins[round] : static_cast<Position>(replay.units.size());
  };
  policy->begin_round(begin_of(1));
  std::size_t round = 0;
  for (Position at = 0; at < replay.units.size(); ++at) {
    for (; round < begins.size() && begins[round] == at; ++round) {
      policy->begin_round(begin_of(round + 2));
    }
    const std::uint32_t unit = replay.units[at];
    const auto again = std::find(replay.units.begin() + at + 1, replay.units.end(), unit);
    const Access access{unit, again == replay.units.end()
                                  ? kNever
                                  : static_cast<Position>(again - replay.units.begin())};
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
  for_random_traces([&](const Replay& replay, std::uint64_t slots) {
    watch_sub(replay, static_cast<Slot>(slots), 5,
              [&](Position at, const Units& cached, std::uint32_t victim) {
                const auto candidates = not_needed(replay, at, cached);
                ++(candidates.empty() ? random : identified);
                EXPECT_TRUE(candidates.empty() || candidates.contains(victim)) << at;
              });
  });
  EXPECT_GT(identified, 1000U);  // both halves of the rule were exercised
  EXPECT_GT(random, 1000U);
}

TEST(SubPolicy, DrawsFromAllCandidatesAndElseFromAllUnits) {
  const Replay candidates{{1, 2, 3, 4, 5, /**/ 1, 2}, {0, 5}};        // 3 and 4 may go for 5
  const Replay everything{{1, 2, 3, 4, 5, /**/ 1, 2, 3, 4}, {0, 5}};  // none may, so any
  std::set<std::uint32_t> chosen;
  std::set<std::uint32_t> forced;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    watch_sub(candidates, 4, seed, [&](Position at, const Units&, std::uint32_t victim) {
      if (at == 4) chosen.insert(victim);
    });
    watch_sub(everything, 4, seed, [&](Position at, const Units&, std::uint32_t victim) {
      if (at == 4) forced.insert(victim);
    });
  }
  EXPECT_THAT(chosen, ElementsAre(3, 4));
  EXPECT_THAT(forced, ElementsAre(1, 2, 3, 4));
}

TEST(SubPolicy, ASeedMeansTheSameMissesAndSeedsDiffer) {
  Replay replay;  // four rounds over twice the room: no candidates until the last, so all chance
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

TEST(LoadReplay, RunsBecomeUnitsAndRoundsPositions) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "outcore_replay.oct";
  TraceWriter writer(
      path,
      {.graph = "g", .layout = "csr", .engine = "e", .workload = "bfs", .file_units = {10, 10}});
  writer.note(0, 0, 4, 1);
  writer.begin_round(1);
  writer.note(0, 0, 8, 2);
  writer.note(0, 1, 0, 3);
  writer.begin_round(2);
  writer.close();
  TraceReader reader(path);
  const Replay replay = load_replay(reader);
  EXPECT_THAT(replay.units, ElementsAre(4, 8, 9, 10, 11, 12));
  EXPECT_THAT(replay.round_begins, ElementsAre(1, 6));
  EXPECT_EQ(CacheSimulator(replay).rounds(), 3U);
  std::filesystem::remove(path);
}

TEST(CacheSimulator, RunsManyJobsAndAnswersInTheirOrder) {
  const CacheSimulator simulator(kAnomaly);
  std::vector<CacheJob> jobs;
  for (const char* policy : {"opt", "lru"}) {
    for (const std::uint64_t slots : {1, 3, 4, 9}) {
      jobs.push_back({.policy = &find_policy(policy), .units = slots});
    }
  }
  std::vector<std::uint64_t> found;
  for (const CacheResult& result : simulator.run_all(jobs)) found.push_back(result.misses);
  EXPECT_THAT(found, ElementsAre(12, 7, 6, 5, 12, 10, 8, 5));
  jobs[5].units = 0;
  EXPECT_THROW((void)simulator.run_all(jobs), Error);
}

}  // namespace
}  // namespace outcore
