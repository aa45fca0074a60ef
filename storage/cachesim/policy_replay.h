// SPDX-License-Identifier: Apache-2.0
// A cache of fixed size that loads on demand, evicts by a Policy, and counts its misses. 8 bytes
// per slot plus the policy's own, and 4 bytes per unit id up to the largest asked for.
#pragma once

#include <memory>

#include "storage/cache/policies/policy.h"
#include "storage/cachesim/chunk.h"

namespace outcore {

class PolicyReplay final : public ChunkConsumer {
 public:
  PolicyReplay(const PolicyKind& kind, const PolicySetup& setup);

  void replay(const AccessChunk& chunk) override;
  // So far.
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  void announce(const AccessChunk& chunk, std::size_t first, std::size_t last);
  void access(const CacheAccess& access);
  Slot free_slot(const CacheAccess& incoming);

  Slot slots_;
  std::unique_ptr<Policy> policy_;
  std::vector<Slot> slot_of_;           // by unit
  std::vector<std::uint32_t> unit_in_;  // by slot
  std::uint64_t misses_ = 0;
};

}  // namespace outcore
