// SPDX-License-Identifier: Apache-2.0
// The smallest possible policy, to copy from (../README.md says how). It is FIFO. It stands in a
// test, so that the recipe is compiled and run without being offered to users.
#include <gtest/gtest.h>

#include <queue>

#include "storage/cache/policies/policy.h"
#include "storage/cachesim/toy_trace.h"

namespace outcore {

namespace {

// Skeleton: evicts the unit that was read first, however often it was used since.
class Skeleton final : public Policy {
 public:
  explicit Skeleton(const PolicySetup&) {}

  void hit(Slot, const CacheAccess&) override {}
  void insert(Slot slot, const CacheAccess&) override { queue_.push(slot); }
  Slot victim(const CacheAccess&) override {
    const Slot slot = queue_.front();
    queue_.pop();
    return slot;
  }

 private:
  std::queue<Slot> queue_;
};

}  // namespace

extern const PolicyKind skeleton_policy = {"skeleton", "evicts what was read first",
                                           Knowledge::past,
                                           [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                                             return std::make_unique<Skeleton>(setup);
                                           }};

// Belady's anomaly (Belady, Nelson, Shedler 1969): FIFO misses more often with more room.
TEST(SkeletonPolicy, ShowsBeladysAnomaly) {
  const ToyTrace trace{.units = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}, .round_begins = {0}};
  EXPECT_EQ(toy_misses(trace, skeleton_policy, 3), 9U);
  EXPECT_EQ(toy_misses(trace, skeleton_policy, 4), 10U);
}

}  // namespace outcore
