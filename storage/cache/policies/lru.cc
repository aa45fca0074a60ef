// SPDX-License-Identifier: Apache-2.0
// LRU: evicts the unit that was asked for least recently. Exact; 8 bytes per slot. This is the form
// that a live pool runs; the simulator counts the same misses for all sizes at once
// (storage/cachesim/lru_curve.h). The same rule as libCacheSim's LRU.
#include "storage/cache/policies/policy.h"
#include "storage/cache/policies/slot_lists.h"

namespace outcore {

namespace {

class Lru final : public Policy {
 public:
  explicit Lru(const PolicySetup& setup) : by_use_(setup.slots, 1) {}

  void hit(Slot slot, const CacheAccess&) override {
    by_use_.remove(0, slot);
    by_use_.push_front(0, slot);
  }
  Slot victim(const CacheAccess&) override { return by_use_.pop_back(0); }
  void insert(Slot slot, const CacheAccess&) override { by_use_.push_front(0, slot); }

 private:
  SlotLists by_use_;
};

}  // namespace

extern const PolicyKind lru_policy = {"lru", "evicts the unit that was used least recently",
                                      Knowledge::past,
                                      [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                                        return std::make_unique<Lru>(setup);
                                      }};

}  // namespace outcore
