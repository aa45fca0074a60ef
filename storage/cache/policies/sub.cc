// SPDX-License-Identifier: Apache-2.0
// SUB: ACGraph's suboptimal policy (section 3.1): "a heuristic that evicts blocks unused in the
// next iteration (when identifiable) or randomly selects victims otherwise".
//
// Our reading: at a miss in iteration i, the candidates are the units in the cache that are needed
// neither in the rest of iteration i nor in iteration i + 1. The victim is a random candidate,
// because nothing ranks them. The sentence mentions only the next iteration. But a unit that is
// still needed in this one would certainly be read again, and the authors call the policy
// "suboptimal" (it is close to OPT in their Fig. 2), so we keep it. "When identifiable" means when
// there is a candidate; if there is none, any unit may be evicted, chosen at random. In the last
// iteration the next one is empty, so everything not needed in its rest is a candidate. In a trace
// without rounds, that is all that SUB knows.
//
// The candidates are kept in an array, with each slot's place in it; 8 bytes per slot. A candidate
// that the next iteration needs is removed when it is announced, at the beginning of this one.
#include <limits>
#include <vector>

#include "common/hash.h"
#include "storage/cache/policies/policy.h"

namespace outcore {

namespace {

class Sub final : public Policy {
 public:
  explicit Sub(const PolicySetup& setup) : seed_(mix(setup.seed)), place_(setup.slots, kNowhere) {
    candidates_.reserve(setup.slots);
  }

  void announce(Slot slot) override {
    if (place_[slot] != kNowhere) strike_off(slot);
  }

  void hit(Slot slot, const CacheAccess& access) override {
    announce(slot);  // no longer a candidate
    insert(slot, access);
  }

  void insert(Slot slot, const CacheAccess& access) override {
    if (access.soon) return;
    place_[slot] = static_cast<Slot>(candidates_.size());
    candidates_.push_back(slot);
  }

  Slot victim(const CacheAccess&) override {
    if (candidates_.empty()) return random_below(static_cast<Slot>(place_.size()));
    const Slot slot = candidates_[random_below(static_cast<Slot>(candidates_.size()))];
    strike_off(slot);
    return slot;
  }

 private:
  static constexpr Slot kNowhere = std::numeric_limits<Slot>::max();

  void strike_off(Slot slot) {
    const Slot last = candidates_.back();
    candidates_[place_[slot]] = last;
    place_[last] = place_[slot];
    place_[slot] = kNowhere;
    candidates_.pop_back();
  }

  // Our own generator, so that a seed gives the same choices with every standard library.
  Slot random_below(Slot end) {
    const std::uint64_t bits = mix(seed_ + ++draws_) >> 32;
    return static_cast<Slot>(bits * end >> 32);
  }

  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  std::vector<Slot> place_;  // of each slot in candidates_
  std::vector<Slot> candidates_;
};

}  // namespace

extern const PolicyKind sub_policy = {
    "sub", "ACGraph 3.1: evicts units that this and the next round do not need, else at random",
    Knowledge::next_round, [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
      return std::make_unique<Sub>(setup);
    }};

}  // namespace outcore
