// SPDX-License-Identifier: Apache-2.0
// What a full cache evicts. A Policy orders the slots of a cache of fixed size; it knows neither
// the bytes in them nor where a unit lies: its owner (the simulator, a live pool) maps units to
// slots. So the same code drives both.
//
// The owner calls, from one thread at a time:
//   begin_round(horizon)  when a round begins (never, if there are none)
//   hit(slot, access)     the unit in `slot` is asked for
//   victim(incoming)      a unit is asked for, no slot holds it and all are taken: which slot to
//                         free. The policy forgets the slot; insert() of the same slot follows.
//   insert(slot, access)  a unit was put into a free slot
//
// Slots are numbers below PolicySetup::slots; until the first victim() the owner takes free ones in
// ascending order. Positions count accesses. Only an owner that knows the future (a simulator over
// a trace, or an engine that announces its next round) can fill Access::next_use truly; kinds that
// depend on it say so in `needs_future`.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outcore {

using Slot = std::uint32_t;
using Position = std::uint32_t;
inline constexpr Position kNever = std::numeric_limits<Position>::max();

struct Access {
  std::uint32_t unit = 0;
  Position next_use = kNever;  // when this unit is asked for again
};

class Policy {
 public:
  Policy() = default;
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  virtual void hit(Slot slot, const Access& access) = 0;
  virtual Slot victim(const Access& incoming) = 0;
  virtual void insert(Slot slot, const Access& access) = 0;
  // `horizon`: accesses before it belong to this round or the next one.
  virtual void begin_round(Position horizon);
};

struct PolicySetup {
  Slot slots = 1;
  std::uint64_t seed = 1;  // of random choices
};

struct PolicyKind {
  std::string_view name;
  std::string_view summary;  // a line for people
  bool needs_future = false;
  std::unique_ptr<Policy> (*make)(const PolicySetup& setup) = nullptr;
};

// In the order of registry.cc.
const std::vector<const PolicyKind*>& policies();

// Throws unknown_name.
const PolicyKind& find_policy(const std::string& name);

}  // namespace outcore
