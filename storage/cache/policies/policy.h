// SPDX-License-Identifier: Apache-2.0
// What a full cache evicts. A Policy orders the slots of a cache of fixed size; it knows neither
// the bytes in them nor where a unit lies: its owner (the simulator, a live pool) maps units to
// slots. So the same code drives both.
//
// The owner calls, from one thread at a time:
//   announce(slot)        a round begins, and the one after it will ask for the unit in `slot`,
//                         which had not been known to be needed again. Owners that cannot know
//                         never call it.
//   hit(slot, access)     the unit in `slot` is asked for
//   victim(incoming)      a unit is asked for, no slot holds it and all are taken: which slot to
//                         free. The policy forgets the slot; insert() of the same slot follows.
//   insert(slot, access)  a unit was put into a free slot
//
// Slots are numbers below PolicySetup::slots; until the first victim() the owner takes free ones in
// ascending order. A policy that remembers units which are no longer in the cache (ARC, S3-FIFO)
// notes CacheAccess::unit of what it is told to insert.
//
// A live pool cannot evict what is in use: it asks for another victim, as long as the policy orders
// any, and then inserts those that it could not evict again, as if their units were new.
//
// PolicyKind::knows says what a kind must be told to be what its name promises: simulators know
// everything, a live pool the next round if its engine announces it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outcore {

using Slot = std::uint32_t;

struct CacheAccess {
  std::uint32_t unit = 0;
  bool soon = false;  // needed again in this round or the next, for kinds that know the next round
};

class Policy {
 public:
  Policy() = default;
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  virtual void hit(Slot slot, const CacheAccess& access) = 0;
  virtual Slot victim(const CacheAccess& incoming) = 0;
  virtual void insert(Slot slot, const CacheAccess& access) = 0;
  virtual void announce(Slot slot);
};

struct PolicySetup {
  Slot slots = 1;
  std::uint64_t seed = 1;  // of random choices
};

enum class Knowledge : std::uint8_t { past, next_round, future };

struct PolicyKind {
  std::string_view name;
  std::string_view summary;  // a line for people
  Knowledge knows = Knowledge::past;
  // Null for what knows the future: there is nothing to run, the simulator counts its misses.
  std::unique_ptr<Policy> (*make)(const PolicySetup& setup) = nullptr;
};

// In the order of registry.cc.
const std::vector<const PolicyKind*>& policies();

// Throws unknown_name.
const PolicyKind& find_policy(const std::string& name);

extern const PolicyKind opt_policy;  // counted by storage/cachesim/optimal.h
extern const PolicyKind
    lru_policy;  // counted for all sizes at once by storage/cachesim/lru_curve.h

}  // namespace outcore
