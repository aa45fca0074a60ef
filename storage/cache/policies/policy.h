// SPDX-License-Identifier: Apache-2.0
// Which unit a full cache evicts. A Policy orders the slots of a cache of fixed size. It knows
// neither their contents nor where a unit is: its owner (the simulator or a live pool) maps units
// to slots. So the same code drives both.
//
// The owner calls, from one thread at a time:
// announce(slot)        a round begins. The round after it will ask for the unit in `slot`, which
//                       was not known to be needed again. Owners that cannot know this never
//                       call it.
// hit(slot, access)     the unit in `slot` is asked for
// victim(incoming)      a unit is asked for, no slot holds it, and all slots are taken: returns the
//                       slot to free. The policy forgets the slot; insert() of it follows.
// insert(slot, access)  a unit was put into a free slot
//
// Slots are numbers below PolicySetup::slots. Until the first victim(), the owner takes free slots
// in ascending order. A policy that remembers units that are no longer in the cache (ARC, S3-FIFO)
// stores the CacheAccess::unit of each insert().
//
// A live pool cannot evict a slot that is in use. It asks for another victim until it gets an
// unused one or all slots have been named, and then inserts the slots that it could not evict
// again, as if their units were new.
//
// PolicyKind::knows says what a policy must be told to do what its name promises. Simulators know
// everything; a live pool knows the next round if its engine announces it.
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
  bool soon = false;  // needed in this round or the next; only for kinds that know the next round
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
  // Null for a policy that knows the future: it cannot run; the simulator counts its misses.
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
