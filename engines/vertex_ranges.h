// SPDX-License-Identifier: Apache-2.0
// What engines of lists do for all vertices, in parallel over ranges of ids.
#pragma once

#include "common/executor.h"
#include "engines/engine.h"

namespace outcore {

inline constexpr VertexId kVertexRange = 16384;  // ids in a worker's turn

// Engine::for_each_vertex, for_each_range and heads, from what stays in memory.
void for_each_vertex(Executor& executor, const Layout& layout, const Engine::VertexFn& f);
void for_each_range(Executor& executor, VertexId id_space, const Engine::RangeFn& f);
void for_each_head(Executor& executor, const Layout& layout, unsigned k, const Engine::HeadsFn& f);

// Engine::edges_of.
std::uint64_t edges_of(Executor& executor, const Layout& layout, const Frontier& frontier);

// The messages of a frontier, each into its vertex's slot; where emit() changes nothing, some that
// nobody hears may be left out.
void take_all_messages(Executor& executor, Program& program, const Frontier& frontier,
                       const ListIndex& index, Messages dense);

// The vertices that listen, as a frontier.
Frontier listeners(Executor& executor, Program& program, VertexId id_space);

void settle_all(Executor& executor, Program& program, VertexId id_space,
                std::vector<Collector>& collectors);

}  // namespace outcore
