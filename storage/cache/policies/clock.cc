// SPDX-License-Identifier: Apache-2.0
// CLOCK: FIFO that spares units that were used since the hand last passed them (Corbató 1968 [1]);
// the policy of CAVE's cache pool (SIGMOD 2024, section 5).
//
// A hand goes around the slots. A slot whose unit was used loses its mark and stays; the first slot
// without a mark is evicted. One byte per slot.
//
// A unit is *not* marked when it is read, only when it is asked for again, so units that are used
// once are evicted first. libCacheSim's Clock (one bit) does the same, and both have the same
// misses. Textbooks often mark a unit when it is read. That spares every unit for one round of the
// hand, so the first eviction after the cache has filled takes a whole round.
//
// [1] F. J. Corbató. A paging experiment with the Multics system. MIT Project MAC, 1968.
#include <vector>

#include "storage/cache/policies/policy.h"

namespace outcore {

namespace {

class Clock final : public Policy {
 public:
  explicit Clock(const PolicySetup& setup) : marks_(setup.slots, kEmpty) {}

  void hit(Slot slot, const CacheAccess&) override { marks_[slot] = kUsed; }
  void insert(Slot slot, const CacheAccess&) override { marks_[slot] = kUnused; }
  Slot victim(const CacheAccess&) override {
    for (; marks_[hand_] != kUnused; advance()) {
      if (marks_[hand_] == kUsed) marks_[hand_] = kUnused;
    }
    const Slot slot = hand_;
    marks_[slot] = kEmpty;
    advance();
    return slot;
  }

 private:
  enum Mark : std::uint8_t { kUnused, kUsed, kEmpty };  // kUsed: since the hand last passed

  void advance() { hand_ = hand_ + 1 == marks_.size() ? 0 : hand_ + 1; }

  std::vector<Mark> marks_;
  Slot hand_ = 0;
};

}  // namespace

extern const PolicyKind clock_policy = {
    "clock", "FIFO that spares units used since its hand last passed", Knowledge::past,
    [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
      return std::make_unique<Clock>(setup);
    }};

}  // namespace outcore
