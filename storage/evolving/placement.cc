// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/placement.h"

#include <algorithm>
#include <bit>

namespace outcore::evolving {

namespace {

unsigned nodes_used(PlaceLists how, unsigned nodes, unsigned threads) {
  if (how == PlaceLists::sub_graphs) return std::bit_floor(std::min(nodes, threads));
  if (how == PlaceLists::directions) return std::min(nodes, 2U);
  return 1;
}

}  // namespace

Placement::Placement(PlaceLists how, MemoryNodes& nodes, unsigned threads)
    : how_(how), nodes_(nodes), threads_(threads), count_(nodes_used(how, nodes.count(), threads)) {
  if (count_ == 1) how_ = PlaceLists::none;
}

}  // namespace outcore::evolving
