// SPDX-License-Identifier: Apache-2.0
// Whom the edges of a Barabasi-Albert graph lead to.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

// The ends of all edges in the order in which they are made. End 2e is edge e's new vertex; end 2e
// + 1 copies an earlier end chosen at random, so a vertex is as likely as it has edges.
VertexId end_of_edge(std::uint64_t end, unsigned degree, std::uint64_t seed);

}  // namespace outcore
