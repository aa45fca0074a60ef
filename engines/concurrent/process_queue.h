// SPDX-License-Identifier: Apache-2.0
// The other form of CAVE's round (section 4.2, Algorithm 1): vertex by vertex. Block by block is
// engines/lists/process_queue_block.h.
#pragma once

#include "engines/lists/process_queue_block.h"

namespace outcore {

// Lists are in flight, not blocks. A worker reads each of its lists from the first block to the
// last, one request at a time. A block with the lists of several vertices is requested by each of
// them, and read again if the cache has lost it meanwhile. REQUIRES: the lists are in blocks.
void process_queue(const RoundWorkers& workers, std::span<const VertexId> vertices);

}  // namespace outcore
