// SPDX-License-Identifier: Apache-2.0
// How an engine divides its frames if they hold only what is in flight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace outcore {

// Slots for the largest request that still leaves every worker enough of them: one per request in
// flight, and as many again for requests that have arrived and wait to be processed. REQUIRES:
// `block` and the largest request are powers of two.
struct FrameSizes {
  FrameSizes(std::uint64_t frames_bytes, std::uint32_t block, std::uint64_t in_flight,
             std::uint32_t max_request_bytes)
      : slot(block) {
    constexpr unsigned kSlotsForOneInFlight = 2;
    const std::uint64_t affordable = frames_bytes / in_flight;
    while (slot * 2 <= std::min<std::uint64_t>(affordable, max_request_bytes)) slot *= 2;
    pool = std::min<std::uint64_t>(frames_bytes, kSlotsForOneInFlight * in_flight * slot);
  }
  std::size_t slot;
  std::size_t pool = 0;
};

}  // namespace outcore
