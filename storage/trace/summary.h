// SPDX-License-Identifier: Apache-2.0
// What a trace holds, counted in one pass. Memory: 8 bytes per unit and 24 bytes per round,
// whatever the trace's length.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "storage/trace/trace.h"

namespace outcore {

struct TraceSummary {
  struct Round {
    std::uint64_t round = 0;  // the number that the engine gave it
    std::uint64_t accesses = 0;
    std::uint64_t distinct = 0;  // different units within the round
    friend bool operator==(const Round&, const Round&) = default;
  };
  std::uint64_t accesses = 0;
  std::uint64_t distinct = 0;
  std::vector<Round> rounds;  // includes the one before the first begins, if it has accesses

  [[nodiscard]] nlohmann::json json() const;
};

// Reads the rest of the trace.
TraceSummary summarise(TraceReader& reader);

}  // namespace outcore
