// SPDX-License-Identifier: Apache-2.0
// A piece of a trace, prepared once for all caches that are simulated over it, and its consumers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/cachesim/renumbering.h"

namespace outcore {

inline constexpr std::size_t kChunkAccesses = 65536;

struct AccessChunk {
  std::vector<std::uint32_t> units;  // the accesses, in order

  // The previous access to each unit, as a position in the window that recency.h describes; empty
  // if no cache needs it.
  std::optional<Renumbering> renumbering;  // to be applied first
  Position first = 0;                      // position of units[0]; that of units[i] is first + i
  std::vector<Position> previous;          // of each access's unit; kNever if it is new

  // What SUB knows of the future; empty if no cache needs it.
  struct Round {
    std::size_t at;             // the round begins before units[at]
    std::size_t announced_end;  // where its announcements end in `announced`
  };
  std::vector<std::uint8_t> soon;  // is units[i] needed again in this round or the next?
  std::vector<Round> rounds;
  std::vector<std::uint32_t> announced;  // units that become needed by the announcement of a round
};

// Used by one thread at a time.
class ChunkConsumer {
 public:
  ChunkConsumer() = default;
  virtual ~ChunkConsumer() = default;
  ChunkConsumer(const ChunkConsumer&) = delete;
  ChunkConsumer& operator=(const ChunkConsumer&) = delete;
  virtual void replay(const AccessChunk& chunk) = 0;
};

}  // namespace outcore
