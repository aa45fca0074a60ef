// SPDX-License-Identifier: Apache-2.0
// FIFO: evicts the unit that was read first, however often it was used since. The simplest policy,
// and one that may miss more often with more slots (Belady, Nelson, Shedler 1969 [1]).
//
// Slots fill in ascending order, and the oldest is refilled at once. So the queue is the slots
// themselves in a circle: a hand marks its beginning, and nothing is stored per slot. The same rule
// as libCacheSim's FIFO.
//
// [1] L. A. Belady, R. A. Nelson, G. S. Shedler. An anomaly in space-time characteristics of
//     certain programs running in a paging machine. CACM 12(6), 1969.
#include "storage/cache/policies/policy.h"

namespace outcore {

namespace {

class Fifo final : public Policy {
 public:
  explicit Fifo(const PolicySetup& setup) : slots_(setup.slots) {}

  void hit(Slot, const CacheAccess&) override {}
  void insert(Slot, const CacheAccess&) override {}
  Slot victim(const CacheAccess&) override {
    const Slot slot = hand_;
    hand_ = hand_ + 1 == slots_ ? 0 : hand_ + 1;
    return slot;
  }

 private:
  Slot slots_;
  Slot hand_ = 0;  // the oldest
};

}  // namespace

extern const PolicyKind fifo_policy = {"fifo", "evicts the unit that was read first",
                                       Knowledge::past,
                                       [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                                         return std::make_unique<Fifo>(setup);
                                       }};

}  // namespace outcore
