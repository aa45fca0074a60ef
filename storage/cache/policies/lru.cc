// SPDX-License-Identifier: Apache-2.0
// LRU: evicts the unit that was asked for least recently. Exact.
//
// A circular list through the slots, in the order of last use; 8 bytes a slot. Slot number `slots`
// is the list's head: after it comes the most recent, before it the least recent.
#include <vector>

#include "storage/cache/policies/policy.h"

namespace outcore {

namespace {

class Lru final : public Policy {
 public:
  explicit Lru(const PolicySetup& setup) : head_(setup.slots), links_(setup.slots + 1) {
    links_[head_] = {head_, head_};
  }

  void hit(Slot slot, const Access&) override {
    unlink(slot);
    push_front(slot);
  }
  Slot victim(const Access&) override {
    const Slot slot = links_[head_].before;
    unlink(slot);
    return slot;
  }
  void insert(Slot slot, const Access&) override { push_front(slot); }

 private:
  struct Link {
    Slot before;
    Slot after;
  };

  void unlink(Slot slot) {
    const Link link = links_[slot];
    links_[link.before].after = link.after;
    links_[link.after].before = link.before;
  }
  void push_front(Slot slot) {
    const Slot first = links_[head_].after;
    links_[slot] = {head_, first};
    links_[first].before = slot;
    links_[head_].after = slot;
  }

  Slot head_;
  std::vector<Link> links_;
};

}  // namespace

extern const PolicyKind lru_policy = {"lru", "evicts what was used least recently", false,
                                      [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
                                        return std::make_unique<Lru>(setup);
                                      }};

}  // namespace outcore
