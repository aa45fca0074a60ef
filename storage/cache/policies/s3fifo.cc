// SPDX-License-Identifier: Apache-2.0
// S3-FIFO: three FIFO queues, so that units that are used once leave soon (Yang et al., SOSP 2023
// [1]).
//
// New units enter a *small* queue, a tenth of the cache. A unit that was used twice or more before
// it reaches the end of the small queue moves on to *main*; any other is evicted, and a *ghost*
// entry remembers its id. A remembered unit enters main at once. At the end of main a unit is
// spared once for each use, at most three, since it came or was last spared.
//
// Sizes: small holds max(1, slots / 10) units before it gives any up; main holds the rest. A unit
// is remembered until as many others as main holds were evicted from small after it, or until it
// comes back. In the paper's Algorithm 1, an eviction from small also evicts from main when a unit
// moves on and main is full. One unit leaves for each that comes, so it is equivalent to ask again
// which queue is too long until one unit has left. 13 bytes per slot, and 8 bytes per unit id up to
// the largest remembered.
//
// libCacheSim's S3-FIFO (with its defaults) differs in three ways. Until the first eviction, units
// go to main once small has its tenth; where accesses go in circles, as iterations do, this keeps
// what came first, and it misses clearly less there. It checks whether main, not small, is over its
// share. And its ghost is a FIFO cache of nine tenths of the bytes, in which a unit that comes back
// leaves a free place.
//
// [1] J. Yang, Y. Zhang, Z. Qiu, Y. Yue, R. Vinayak. FIFO queues are all you need for cache
//     eviction. SOSP 2023, section 4, Algorithm 1.
#include <algorithm>
#include <vector>

#include "storage/cache/policies/policy.h"
#include "storage/cache/policies/slot_lists.h"

namespace outcore {

namespace {

class S3Fifo final : public Policy {
 public:
  explicit S3Fifo(const PolicySetup& setup)
      : small_share_(std::max<Slot>(1, setup.slots / 10)),
        remembered_(setup.slots - small_share_),
        queues_(setup.slots, kQueues),
        uses_(setup.slots, 0),
        unit_(setup.slots, 0) {}

  void hit(Slot slot, const CacheAccess&) override {
    uses_[slot] = static_cast<std::uint8_t>(std::min(uses_[slot] + 1, kMostUses));
  }

  void insert(Slot slot, const CacheAccess& access) override {
    unit_[slot] = access.unit;
    uses_[slot] = 0;
    queues_.push_front(recall(access.unit) ? kMain : kSmall, slot);
  }

  Slot victim(const CacheAccess&) override {
    for (;;) {
      const bool from_small = queues_.size(kSmall) >= small_share_ || queues_.empty(kMain);
      const Slot slot = queues_.pop_back(from_small ? kSmall : kMain);
      if (from_small && uses_[slot] > 1) {
        uses_[slot] = 0;
        queues_.push_front(kMain, slot);
      } else if (!from_small && uses_[slot] > 0) {
        --uses_[slot];
        queues_.push_front(kMain, slot);
      } else {
        if (from_small) remember(unit_[slot]);
        return slot;
      }
    }
  }

 private:
  enum Queue : unsigned { kSmall, kMain, kQueues };
  static constexpr int kMostUses = 3;

  void remember(std::uint32_t unit) {
    if (unit >= evicted_at_.size()) evicted_at_.resize(unit + std::size_t{1} + unit / 2, 0);
    evicted_at_[unit] = ++evictions_;
  }

  // Was it evicted from small recently? If so, forgets it.
  bool recall(std::uint32_t unit) {
    if (unit >= evicted_at_.size() || evicted_at_[unit] == 0) return false;
    const bool recent = evictions_ - evicted_at_[unit] < remembered_;
    evicted_at_[unit] = 0;
    return recent;
  }

  Slot small_share_;
  Slot remembered_;
  SlotLists queues_;
  std::vector<std::uint8_t> uses_;         // of each slot's unit, at most kMostUses
  std::vector<std::uint32_t> unit_;        // in each slot
  std::vector<std::uint64_t> evicted_at_;  // number of each unit's eviction; 0: forgotten
  std::uint64_t evictions_ = 0;            // from small
};

}  // namespace

extern const PolicyKind s3fifo_policy = {
    "s3fifo", "three FIFO queues: units that are used once leave soon", Knowledge::past,
    [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
      return std::make_unique<S3Fifo>(setup);
    }};

}  // namespace outcore
