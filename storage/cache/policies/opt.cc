// SPDX-License-Identifier: Apache-2.0
// OPT: evicts the unit whose next use lies furthest ahead (Belady 1966). Exact for units of equal
// size: no policy that loads on demand misses less on the same sequence of accesses, which with
// several threads means *this interleaving*, not the run that might have been.
//
// A max-heap of (next use, slot), where an access pushes a new entry and leaves the slot's old one
// behind. An old entry's use has passed while those of live ones lie ahead, so the top is always
// live; old entries only take room, and are swept out when they outnumber live ones. At most 20
// bytes a slot.
#include <algorithm>
#include <vector>

#include "storage/cache/policies/policy.h"

namespace outcore {

namespace {

class Opt final : public Policy {
 public:
  explicit Opt(const PolicySetup& setup) : next_use_(setup.slots) {
    heap_.reserve(2 * std::size_t{setup.slots} + 1);
  }

  void hit(Slot slot, const Access& access) override { push(slot, access.next_use); }
  void insert(Slot slot, const Access& access) override { push(slot, access.next_use); }
  Slot victim(const Access&) override {
    std::pop_heap(heap_.begin(), heap_.end());
    const Slot slot = heap_.back().slot;
    heap_.pop_back();
    return slot;
  }

 private:
  struct Entry {
    Position next_use;
    Slot slot;
    bool operator<(const Entry& other) const { return next_use < other.next_use; }
  };

  void push(Slot slot, Position next_use) {
    next_use_[slot] = next_use;
    if (heap_.size() > 2 * next_use_.size()) sweep();
    heap_.push_back({next_use, slot});
    std::push_heap(heap_.begin(), heap_.end());
  }

  void sweep() {
    std::erase_if(heap_,
                  [&](const Entry& entry) { return entry.next_use != next_use_[entry.slot]; });
    std::make_heap(heap_.begin(), heap_.end());
  }

  std::vector<Position> next_use_;  // of the unit in each slot
  std::vector<Entry> heap_;
};

}  // namespace

extern const PolicyKind opt_policy = {"opt", "Belady: evicts what is used furthest in the future",
                                      true,
                                      [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                                        return std::make_unique<Opt>(setup);
                                      }};

}  // namespace outcore
