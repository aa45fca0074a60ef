// SPDX-License-Identifier: Apache-2.0
// The records that are sorted: an edge as a number, with the source in the higher bits, and a
// weighted edge of 12 bytes, whose weight breaks ties. Sorting by the whole record makes the order
// independent of the order of arrival, the memory and the threads.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "common/ids.h"

namespace outcore {

using EdgeKey = std::uint64_t;

// Maps floats to integers in the same order (-0 before 0); and the inverse.
constexpr std::uint32_t weight_order(float weight) {
  const auto bits = std::bit_cast<std::uint32_t>(weight);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}
constexpr float weight_of(std::uint32_t order) {
  return std::bit_cast<float>((order >> 31) != 0 ? order & 0x7fffffffU : ~order);
}

struct WeightedKey {
  VertexId source = 0;
  VertexId target = 0;
  std::uint32_t weight = 0;  // weight_order

  friend constexpr auto operator<=>(const WeightedKey&, const WeightedKey&) = default;
};

// For code that is written once for both records.
struct EdgeParts {
  VertexId source;
  VertexId target;
};
constexpr EdgeParts parts_of(EdgeKey key) {
  return {static_cast<VertexId>(key >> 32), static_cast<VertexId>(key)};
}
constexpr EdgeParts parts_of(const WeightedKey& key) { return {key.source, key.target}; }
constexpr EdgeKey turned(EdgeKey key) { return key << 32 | key >> 32; }
constexpr WeightedKey turned(const WeightedKey& key) {
  return {key.target, key.source, key.weight};
}

// A record as 32-bit words, the least significant first.
template <typename Record>
inline constexpr unsigned kKeyWords = sizeof(Record) / sizeof(std::uint32_t);
constexpr std::uint32_t word_of(EdgeKey key, unsigned word) {
  return static_cast<std::uint32_t>(key >> (32 * word));
}
constexpr std::uint32_t word_of(const WeightedKey& key, unsigned word) {
  return word == 0 ? key.weight : word == 1 ? key.target : key.source;
}

}  // namespace outcore
