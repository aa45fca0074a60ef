// SPDX-License-Identifier: Apache-2.0
// A piece of a trace, made once for all caches that are simulated over it, and who takes it up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/cachesim/renumbering.h"

namespace outcore {

inline constexpr std::size_t kChunkAccesses = 65536;

struct AccessChunk {
  std::vector<std::uint32_t> units;  // asked for, in order

  // When units were asked for before, in positions of the window that recency.h describes; empty
  // when no cache asks.
  std::optional<Renumbering> renumbering;  // to be applied first
  Position first = 0;                      // position of units[0]; that of units[i] is first + i
  std::vector<Position> previous;          // of each access's unit; kNever when it is new

  // What of the future SUB knows; empty when no cache asks.
  struct Round {
    std::size_t at;             // begins before units[at]
    std::size_t announced_end;  // its announcements end here in `announced`
  };
  std::vector<std::uint8_t> soon;  // is units[i] needed again in this round or the next?
  std::vector<Round> rounds;
  std::vector<std::uint32_t> announced;  // units that a round's successor makes needed
};

// One thread at a time.
class ChunkConsumer {
 public:
  ChunkConsumer() = default;
  virtual ~ChunkConsumer() = default;
  ChunkConsumer(const ChunkConsumer&) = delete;
  ChunkConsumer& operator=(const ChunkConsumer&) = delete;
  virtual void replay(const AccessChunk& chunk) = 0;
};

}  // namespace outcore
