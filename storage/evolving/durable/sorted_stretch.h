// SPDX-License-Identifier: Apache-2.0
// A stretch of updates as changes of lists, for a run. Updates are sorted. Vertex buffers serve
// readers of lists that grow, and nobody reads these, so there are none.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "common/ids.h"
#include "storage/evolving/durable/pair_changes.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

// Updates in two pieces, as a circular log has them.
using Stretch = std::pair<std::span<const LogEdge>, std::span<const LogEdge>>;

// Sorting begins at once, in a thread of its own. `updates` must stay until the first list was
// asked for. Memory: 16 bytes an update, 24 if there are removals.
// REQUIRES: fewer than 2^31 updates.
std::unique_ptr<ChangeSource> sorted_stretch(const Stretch& updates, Direction direction);
// The same, sorted when this returns.
std::unique_ptr<ChangeSource> sorted_now(const Stretch& updates, Direction direction);

// Ids of these updates are below.
VertexId vertices_of(const Stretch& updates);

}  // namespace outcore::evolving
