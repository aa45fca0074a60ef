// SPDX-License-Identifier: Apache-2.0
// One list that is read by itself, some blocks a request, from its first block on: what CAVE's
// ProcessQueue and the stacks of drive() have in flight.
#pragma once

#include <algorithm>

#include "storage/io/merge.h"
#include "storage/layout/layout.h"

namespace outcore {

struct ListRead {
  VertexId v = kNoVertex;
  ListAddress list;
  BlockId next = 0;  // is asked for next
  BlockId end = 0;
  BlockRun flight;

  // Of a list that lies in blocks.
  static ListRead whole(const ListIndex& index, VertexId v) {
    const ListAddress list = index.address(v);
    return {.v = v,
            .list = list,
            .next = index.first_block(list),
            .end = index.last_block(list) + 1,
            .flight = {}};
  }

  // The next blocks, at most so many, are to be asked for.
  void fly(std::uint32_t most) {
    flight = {next, static_cast<std::uint32_t>(std::min<std::uint64_t>(most, end - next))};
    next += flight.blocks;
  }
};

}  // namespace outcore
