// SPDX-License-Identifier: Apache-2.0
// The memory of partitions of vertex records, and of the copies of them that snapshots have made.
// It is taken in slabs of huge pages: a phase touches records all over, and with small pages most
// of these accesses first walk the page table. It is used again, since a snapshot at short
// intervals has every partition copied, and pages that are fresh from the system cost more than
// what is copied into them.
#pragma once

#include <sys/mman.h>

#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

#include "common/huge_pages.h"
#include "common/numa.h"
#include "storage/evolving/placement.h"
#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

class SparePartitions {
 public:
  explicit SparePartitions(const Placement& placement)
      : placement_(placement), parts_(placement.nodes()) {}

  // Copies `from` to a memory node. The copy becomes spare when its last owner drops it. Any thread
  // may copy and drop.
  static std::shared_ptr<Partition> copy(const std::shared_ptr<SparePartitions>& spares,
                                         const Partition& from, unsigned node) {
    auto* const made = new (spares->take(node)) Partition(from);
    return {made, [spares, node](Partition* dropped) { spares->put(dropped, node); }};
  }

 private:
  static_assert(std::is_trivially_destructible_v<Partition>);
  static constexpr std::size_t kSlabBytes = 4 * kHugePage;

  // What a memory node has.
  struct Part {
    std::vector<numa::Memory> slabs;
    std::size_t used = kSlabBytes;  // of the last slab
    std::vector<void*> spares;
  };

  void* take(unsigned node) {
    const std::lock_guard lock(mutex_);
    Part& part = parts_[node];
    if (!part.spares.empty()) {
      void* const last = part.spares.back();
      part.spares.pop_back();
      return last;
    }
    if (part.used + sizeof(Partition) > kSlabBytes) {
      part.slabs.push_back(numa::allocate(kSlabBytes));
      placement_.place(part.slabs.back().get(), kSlabBytes, node);
      // Only advice: if the kernel refuses it, pages are small.
      madvise(part.slabs.back().get(), kSlabBytes, MADV_HUGEPAGE);
      part.used = 0;
    }
    void* const next = part.slabs.back().get() + part.used;
    part.used += sizeof(Partition);
    return next;
  }
  void put(void* dropped, unsigned node) {
    const std::lock_guard lock(mutex_);
    parts_[node].spares.push_back(dropped);
  }

  const Placement placement_;
  std::mutex mutex_;  // of what follows
  std::vector<Part> parts_;
};

}  // namespace outcore::evolving
