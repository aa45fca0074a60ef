// SPDX-License-Identifier: Apache-2.0
// ARC: adaptive replacement (Megiddo and Modha, FAST 2003 [1], Fig. 4).
//
// T1 holds units that were asked for once recently, T2 units that were asked for at least twice,
// both ordered by last use. B1 and B2 are ghost lists: they hold the ids of units that were evicted
// from T1 and T2. A miss on a unit in B1 says that T1 should have been larger; a miss on a unit in
// B2 says so of T2. `target`, the wanted size of T1, moves accordingly. T1 and B1 together have at
// most as many entries as the cache has slots; all four lists together have at most twice as many.
//
// `target` is a real number, as in the paper. libCacheSim's ARC had the same misses on all traces
// that we compared. 28 bytes per slot, and 4 bytes per unit id up to the largest remembered.
//
// [1] N. Megiddo, D. S. Modha. ARC: a self-tuning, low overhead replacement cache. FAST 2003.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "storage/cache/policies/policy.h"
#include "storage/cache/policies/slot_lists.h"

namespace outcore {

namespace {

class Arc final : public Policy {
 public:
  explicit Arc(const PolicySetup& setup)
      : slots_(setup.slots),
        lists_(setup.slots + setup.slots + 1, kLists),
        list_(std::size_t{2} * setup.slots + 1, kT1),
        unit_(std::size_t{2} * setup.slots + 1, 0),
        free_ghosts_(setup.slots + std::size_t{1}) {
    std::iota(free_ghosts_.rbegin(), free_ghosts_.rend(), setup.slots);
  }

  void hit(Slot slot, const CacheAccess&) override {  // case I
    lists_.remove(list_[slot], slot);
    push(kT2, slot);
  }

  void insert(Slot slot, const CacheAccess& access) override {
    unit_[slot] = access.unit;
    const Node ghost = ghost_of(access.unit);
    if (ghost != kNone) forget(ghost);
    push(ghost != kNone ? kT2 : kT1, slot);
  }

  Slot victim(const CacheAccess& incoming) override {
    const Node ghost = ghost_of(incoming.unit);
    if (ghost != kNone) {
      adapt(list_[ghost]);
      return replace(list_[ghost] == kB2);
    }
    // In a live pool T1 may be one unit longer, when it got back a victim that could not be
    // evicted.
    if (once() >= slots_) {                                // case IV (i)
      if (lists_.empty(kB1)) return lists_.pop_back(kT1);  // not remembered
      while (once() >= slots_ && !lists_.empty(kB1)) forget(lists_.back(kB1));
    } else if (once() + twice() >= std::uint64_t{2} * slots_) {  // case IV (ii)
      forget(lists_.back(kB2));
    }
    return replace(false);
  }

 private:
  using Node = SlotLists::Node;  // a slot or, numbered after the slots, a ghost
  enum List : std::uint8_t { kT1, kT2, kB1, kB2, kLists };
  static constexpr Node kNone = std::numeric_limits<Node>::max();

  void push(List list, Node node) {
    list_[node] = list;
    lists_.push_front(list, node);
  }

  // The paper's L1 and L2.
  [[nodiscard]] std::uint64_t once() const {
    return std::uint64_t{lists_.size(kT1)} + lists_.size(kB1);
  }
  [[nodiscard]] std::uint64_t twice() const {
    return std::uint64_t{lists_.size(kT2)} + lists_.size(kB2);
  }

  void adapt(List remembered) {  // cases II and III
    const double b1 = lists_.size(kB1);
    const double b2 = lists_.size(kB2);
    target_ = remembered == kB1
                  ? std::min(target_ + std::max(b2 / b1, 1.0), static_cast<double>(slots_))
                  : std::max(target_ - std::max(b1 / b2, 1.0), 0.0);
  }

  Slot replace(bool incoming_in_b2) {
    const double t1 = lists_.size(kT1);
    const bool from_t1 =
        lists_.empty(kT2) || (t1 > 0 && (t1 > target_ || (incoming_in_b2 && t1 == target_)));
    const Slot slot = lists_.pop_back(from_t1 ? kT1 : kT2);
    remember(from_t1 ? kB1 : kB2, unit_[slot]);
    return slot;
  }

  void remember(List list, std::uint32_t unit) {
    // Happens only in a live pool that asks for many victims in a row.
    if (free_ghosts_.empty()) forget(lists_.back(lists_.empty(kB1) ? kB2 : kB1));
    const Node ghost = free_ghosts_.back();
    free_ghosts_.pop_back();
    unit_[ghost] = unit;
    if (unit >= ghosts_.size()) ghosts_.resize(unit + std::size_t{1} + unit / 2, kNone);
    ghosts_[unit] = ghost;
    push(list, ghost);
  }
  void forget(Node ghost) {
    lists_.remove(list_[ghost], ghost);
    ghosts_[unit_[ghost]] = kNone;
    free_ghosts_.push_back(ghost);
  }
  [[nodiscard]] Node ghost_of(std::uint32_t unit) const {
    return unit < ghosts_.size() ? ghosts_[unit] : kNone;
  }

  Slot slots_;
  SlotLists lists_;
  std::vector<List> list_;           // the list that each node is in
  std::vector<std::uint32_t> unit_;  // of each node
  std::vector<Node> free_ghosts_;    // one more than B1 and B2 may hold: what is remembered is
                                     // forgotten only after another was evicted
  std::vector<Node> ghosts_;         // by unit
  double target_ = 0;                // the wanted size of T1
};

}  // namespace

extern const PolicyKind arc_policy = {"arc", "adapts between units used once and units used often",
                                      Knowledge::past,
                                      [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                                        return std::make_unique<Arc>(setup);
                                      }};

}  // namespace outcore
