// SPDX-License-Identifier: Apache-2.0
// CAVE's ProcessQueue (section 4.2, Algorithm 1): what is in flight is lists, not blocks. A worker
// reads each of its lists from the first block to the last, a request at a time, and processes it.
// A block with the lists of several vertices is asked for by each of them, and read anew when the
// cache has lost it meanwhile.
#pragma once

#include "engines/concurrent/round_workers.h"
#include "engines/concurrent/vertex_queue.h"

namespace outcore {

void process_queue(const RoundWorkers& workers, VertexQueue& queue);

}  // namespace outcore
