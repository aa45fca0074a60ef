// SPDX-License-Identifier: Apache-2.0
// The memory of vertex buffers (section III-C, Fig. 9): each lane (placement.h), which is a thread
// or one of its two, takes bulks of its own, and has a list of free buffers for each layer. Nothing
// is locked but the taking of a bulk.
//
// A buffer that a snapshot may still read is retired and not freed: it becomes free when no
// snapshot is left that is as old as its retirement. Freed memory goes to the lane that freed it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "storage/evolving/arena.h"
#include "storage/evolving/placement.h"
#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

class BufferPool {
 public:
  using Place = std::uint32_t;  // in units of 8 bytes; 0 is none

  BufferPool(const Placement& placement, std::uint64_t bulk_bytes);

  // By one thread at a time for each lane.
  Place allocate(unsigned lane, unsigned layer);
  void free(unsigned lane, Place place, unsigned layer);
  // Free once all snapshots up to number `snapshot` are gone.
  void retire(unsigned lane, Place place, unsigned layer, std::uint64_t snapshot);

  // Between phases. Frees what was retired before all snapshots that are left.
  void reclaim(std::uint64_t oldest_snapshot);
  // Every buffer is free, and no bulk is taken. REQUIRES: no snapshot is left.
  void clear();

  [[nodiscard]] Entry* entries(Place place) const {
    return reinterpret_cast<Entry*>(arena_.base() + std::uint64_t{place} * kUnit);
  }
  [[nodiscard]] std::uint64_t buffer_bytes() const;
  [[nodiscard]] std::uint64_t taken_bytes() const { return arena_.taken_bytes(); }
  [[nodiscard]] std::uint64_t most_taken_bytes() const { return arena_.most_taken_bytes(); }
  [[nodiscard]] std::uint64_t bulk_bytes() const { return arena_.bulk_bytes(); }

 private:
  static constexpr std::uint64_t kUnit = 8;
  static constexpr Place kPage = 4096 / kUnit;
  struct Retired {
    Place place;
    unsigned layer;
    std::uint64_t snapshot;
  };
  struct alignas(64) Local {
    std::array<Place, kMostLayer + 1> free = {};  // each leads to the next
    // Each layer is cut from pages of its own, so that buffers are aligned to their size.
    std::array<Place, kMostLayer + 1> next = {};
    Place next_page = 0;  // in the lane's bulk
    Place end = 0;
    // Allocated less freed: below 0 for a lane that frees what others allocated.
    std::int64_t bytes = 0;
    std::deque<Retired> retired;
  };

  Place new_page(unsigned lane);

  const Placement placement_;
  Arena arena_;
  std::vector<Local> locals_;
};

}  // namespace outcore::evolving
