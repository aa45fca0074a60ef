// SPDX-License-Identifier: Apache-2.0
// Sizes of simulated caches as people write them: "4M"; "5%" of the graph's raw bytes (4 bytes an
// edge, as on the axis of ACGraph's Fig. 2); and "1%..20%", eight evenly spaced sizes including
// both ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace outcore {

struct CacheSize {
  std::uint64_t bytes = 0;
  std::optional<double> percent;  // as given; empty if it was given in bytes
};

inline constexpr int kSizesInRange = 8;

// Throws usage Errors for what is not a size, is less than a unit, or is a percentage of nothing.
std::vector<CacheSize> parse_cache_sizes(const std::vector<std::string>& texts,
                                         std::uint64_t raw_bytes, std::uint32_t unit_bytes);

}  // namespace outcore
