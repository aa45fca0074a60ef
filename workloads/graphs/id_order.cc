// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/id_order.h"

#include <bit>
#include <utility>

#include "common/hash.h"

namespace outcore {

const char* name_of(IdOrder order) {
  return order == IdOrder::in_order   ? "in-order"
         : order == IdOrder::reversed ? "reversed"
                                      : "random";
}

VertexId permuted_id(VertexId id, unsigned bits, std::uint64_t seed) {
  const unsigned half = (bits + 1) / 2;
  const std::uint64_t half_mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t value = id;
  do {  // odd `bits`: permutes twice as many values, so repeat until inside
    std::uint64_t left = value >> half;
    std::uint64_t right = value & half_mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = mix(mix(seed + round) ^ right) & half_mask;
      left = std::exchange(right, left ^ mixed);
    }
    value = left << half | right;
  } while (value >> bits != 0);
  return static_cast<VertexId>(value);
}

VertexId id_in_order(VertexId place, VertexId vertices, IdOrder order, std::uint64_t seed) {
  if (order == IdOrder::in_order) return place;
  if (order == IdOrder::reversed) return vertices - 1 - place;
  const auto bits = static_cast<unsigned>(std::bit_width(vertices - 1));
  if (bits == 0) return place;
  // A bijection on [0, 2^bits), walked until it lands below `vertices`, is one on these.
  do {
    place = permuted_id(place, bits, seed);
  } while (place >= vertices);
  return place;
}

}  // namespace outcore
