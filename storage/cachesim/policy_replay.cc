// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/policy_replay.h"

#include <algorithm>
#include <limits>

namespace outcore {

namespace {

constexpr Slot kNotCached = std::numeric_limits<Slot>::max();

}  // namespace

PolicyReplay::PolicyReplay(const PolicyKind& kind, const PolicySetup& setup)
    : slots_(setup.slots), policy_(kind.make(setup)) {}

void PolicyReplay::replay(const AccessChunk& chunk) {
  const std::vector<std::uint32_t>& units = chunk.units;
  if (!units.empty()) {
    const std::size_t end = std::size_t{*std::max_element(units.begin(), units.end())} + 1;
    if (end > slot_of_.size()) slot_of_.resize(std::max(end, slot_of_.size() * 3 / 2), kNotCached);
  }
  std::size_t at = 0;
  std::size_t announced = 0;
  for (const AccessChunk::Round& round : chunk.rounds) {
    for (; at < round.at; ++at) access({units[at], chunk.soon[at] != 0});
    announce(chunk, announced, round.announced_end);
    announced = round.announced_end;
  }
  if (chunk.soon.empty()) {
    for (; at < units.size(); ++at) access({units[at]});
  }
  for (; at < units.size(); ++at) access({units[at], chunk.soon[at] != 0});
}

void PolicyReplay::announce(const AccessChunk& chunk, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t unit = chunk.announced[i];
    if (unit < slot_of_.size() && slot_of_[unit] != kNotCached) policy_->announce(slot_of_[unit]);
  }
}

void PolicyReplay::access(const CacheAccess& access) {
  Slot& slot = slot_of_[access.unit];
  if (slot != kNotCached) {
    policy_->hit(slot, access);
    return;
  }
  ++misses_;
  slot = free_slot(access);
  unit_in_[slot] = access.unit;
  policy_->insert(slot, access);
}

Slot PolicyReplay::free_slot(const CacheAccess& incoming) {
  if (unit_in_.size() < slots_) {
    unit_in_.push_back(incoming.unit);
    return static_cast<Slot>(unit_in_.size() - 1);
  }
  const Slot slot = policy_->victim(incoming);
  slot_of_[unit_in_[slot]] = kNotCached;
  return slot;
}

}  // namespace outcore
