// SPDX-License-Identifier: Apache-2.0
// What a run will have in memory, before it is started: the program, what the engine has for this
// layout (index, frames, queues, or the whole lists) and the workload's arrays.
//
// An engine that reads from disk is built for it, and tells; nothing is read but the layout's
// index, and its frames are not touched. The lists of an engine that keeps the graph are worked
// out. The workload's arrays are those that it asks of an engine which has a sample of vertices and
// does nothing (two samples, as arrays grow with the vertices or not). What a run has beside that
// is not counted: its answer, frontiers, stacks.
#pragma once

#include <cstdint>

#include "engines/engine.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

struct MemoryPlan {
  std::uint64_t program = 0;  // the caller's to say
  NamedBytes engine;          // by name
  NamedBytes arrays;          // of the workload, by name

  // Of the engine's, what --frames bounds: frames, or chunks of a mapped file that stay.
  [[nodiscard]] std::uint64_t frames() const;
  [[nodiscard]] std::uint64_t all() const;
};

// The arrays that the workload asks an engine for, by name, where ids go up to `id_space`.
NamedBytes arrays_of(const Workload& workload, const Parameters& parameters, VertexId id_space,
                     bool symmetric);

// Throws what building the engine throws: frames that are too small for it, say.
MemoryPlan plan_memory(const EngineEntry& engine, const OpenedGraph& layout,
                       const EngineOptions& options, const Workload& workload,
                       const Parameters& parameters);

}  // namespace outcore
